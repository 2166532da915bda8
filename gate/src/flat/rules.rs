//! The rules and exemptions of one command, read in place.

use super::exemptions::Exemption;
use crate::bytes::{Corrupt, Reader};
use crate::gcra::Rate;
use crate::policy::Part;
use crate::pressure::Level;

/// The kind of record that a rule `limit_command_rate` is.
pub(super) const KIND_RATE: u8 = 1;
/// The order in which a limit's parts are written and hashed.
pub(super) const PARTS: [Part; 6] =
    [Part::User, Part::Client, Part::Ip, Part::Program, Part::Args, Part::Shape];

/// What concerns one command.
#[derive(Debug, Default)]
pub struct Rules<'a> {
    /// In policy order.
    pub rules: Vec<Rule<'a>>,
    /// In policy order, as they were written; rules name them by their index.
    exemptions: Vec<&'a [u8]>,
}

/// What a rule does with a request beyond its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Writes it down.
    Observe,
    /// Refuses it.
    Refuse,
    /// Lets it wait for so long at most, and refuses it if that is not enough.
    Delay(u64),
}

/// One rule `limit_command_rate`.
#[derive(Debug)]
pub struct Rule<'a> {
    /// What people see.
    pub name: &'a str,
    /// What it does.
    pub action: Action,
    /// What must all conform.
    pub limits: Vec<Limit<'a>>,
    exemptions: &'a [u8],
}

/// One of the limits of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// The rate as the policy writes it.
    pub allow: &'a str,
    /// How many may come at once after a pause.
    pub burst: u64,
    /// What both mean.
    pub rate: Rate,
    /// From which pressure on it is a limit at all.
    pub when: Level,
    parts: u8,
}

impl<'a> Rules<'a> {
    /// Reads the two blocks of a command.
    pub fn read(rules: &'a [u8], exemptions: &'a [u8]) -> Result<Self, Corrupt> {
        let mut found = Rules::default();
        let mut from = Reader::new(rules);
        while !from.is_at_end() {
            found.rules.push(Rule::read(&mut from)?);
        }
        let mut from = Reader::new(exemptions);
        while !from.is_at_end() {
            found.exemptions.push(from.bytes()?);
        }
        Ok(found)
    }

    /// Whether a limit depends on the server's pressure.
    #[must_use]
    pub fn need_the_pressure(&self) -> bool {
        let mut limits = self.rules.iter().flat_map(|rule| &rule.limits);
        limits.any(|limit| limit.when > Level::Low)
    }

    /// The exemptions that are for a rule, in policy order.
    pub fn exemptions_of(&self, rule: &Rule<'a>) -> impl Iterator<Item = Exemption<'a>> {
        let (indexes, _) = rule.exemptions.as_chunks();
        let entries = indexes
            .iter()
            .filter_map(|index| self.exemptions.get(usize::from(u16::from_le_bytes(*index))));
        entries.filter_map(|entry| Exemption::read(&mut Reader::new(entry)).ok())
    }
}

impl<'a> Rule<'a> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        if from.u8()? != KIND_RATE {
            return Err(Corrupt);
        }
        let action = match (from.u8()?, from.u64()?) {
            (0, _) => Action::Observe,
            (_, 0) => Action::Refuse,
            (_, max_delay_ns) => Action::Delay(max_delay_ns),
        };
        let (name, exemptions, count) = (from.text()?, from.bytes()?, from.u16()?);
        let limits = (0..count).map(|_| Limit::read(from)).collect::<Result<_, _>>()?;
        Ok(Rule { name, action, limits, exemptions })
    }
}

impl<'a> Limit<'a> {
    /// What tells requests apart, always in the same order.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let parts = self.parts;
        let chosen = move |(bit, part): (u32, Part)| (parts >> bit & 1 == 1).then_some(part);
        (0..).zip(PARTS).filter_map(chosen)
    }

    /// The limit as a log and a refusal's last line name it.
    #[must_use]
    pub fn short(&self) -> String {
        self.allow.replace(" per ", "/")
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        let (parts, when) = (from.u8()?, Level::from_number(from.u8()?).ok_or(Corrupt)?);
        let (burst, interval_ns, tolerance_ns) = (from.u64()?, from.u64()?, from.u64()?);
        let rate = Rate { interval_ns: interval_ns.max(1), tolerance_ns };
        Ok(Limit { allow: from.text()?, burst, rate, when, parts })
    }
}
