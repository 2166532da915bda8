//! The rules and exemptions of one command, decoded from the bytes of `gate.policy` without copying
//! them.

use super::exemptions::Exemption;
use super::modes::Mode;
use super::programs::Programs;
use super::rates::Rates;
use super::scan_limits::ScanLimits;
use super::scope::Scope;
use crate::base::bytes::{CorruptData, Reader};
use crate::policy::pressure::Level;

/// Number that stands for the rule kind `limit_command_rate` in `gate.policy`.
pub(super) const RATE: u8 = 1;
/// Number that stands for the rule kind `limit_command_scope` in `gate.policy`.
pub(super) const SCOPE: u8 = 2;
/// Number that stands for the rule kind `block_client_program` in `gate.policy`.
pub(super) const PROGRAM: u8 = 3;
/// Number that stands for the rule kind `limit_scanned_rows` in `gate.policy`.
pub(super) const SCANNED: u8 = 4;

/// The rules of the policy that cover one command, with the exemptions from these rules.
#[derive(Debug, Default)]
pub struct Rules<'a> {
    /// The rules that cover the command, in the order of the policy.
    pub rules: Vec<Rule<'a>>,
    /// The exemptions that concern the command, still encoded, in the order of the policy; rules
    /// refer to them by index.
    exemptions: Vec<&'a [u8]>,
}

/// One rule of the policy, as stored in `gate.policy`.
#[derive(Debug)]
pub struct Rule<'a> {
    /// The name that the policy gives the rule, shown in refusals and in the decision log.
    pub name: &'a str,
    /// The site's own advice text, one to three lines, shown in the rule's refusals; None if the
    /// policy gives none.
    pub advice: Option<&'a str>,
    /// The mode of the rule: whether it is enforced for all users, for none, or for those of a
    /// canary.
    pub mode: Mode<'a>,
    /// The kind of the rule, such as `limit_command_rate`, with its settings.
    pub kind: Kind<'a>,
    exemptions: &'a [u8],
    required_words: Reader<'a>,
}

/// The kinds of command rules that the gate judges, each with the settings of one rule.
#[derive(Debug)]
pub enum Kind<'a> {
    /// A rule `limit_command_rate`, which limits the number of requests in a time.
    Rate(Rates<'a>),
    /// A rule `limit_command_scope`, which objects to paths in the command's arguments that span
    /// too much of a depot.
    Scope(Scope<'a>),
    /// A rule `limit_scanned_rows`, which limits the records that a command makes the server read,
    /// as estimated.
    ScanLimits(ScanLimits),
    /// A rule `block_client_program`, which blocks client programs or their old versions.
    Program(Programs<'a>),
}

impl Kind<'_> {
    /// The name of the kind of rule in policies and in the decision log, such as
    /// `limit_command_rate`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Rate(_) => "limit_command_rate",
            Kind::Scope(_) => "limit_command_scope",
            Kind::ScanLimits(_) => "limit_scanned_rows",
            Kind::Program(_) => "block_client_program",
        }
    }
}

impl Kind<'_> {
    /// Whether the rule judges by the estimated number of records that a command reads.
    #[must_use]
    pub fn needs_an_estimate(&self) -> bool {
        match self {
            Kind::Rate(rates) => rates.weight.is_some(),
            Kind::ScanLimits(_) => true,
            Kind::Scope(_) | Kind::Program(_) => false,
        }
    }
}

impl<'a> Rules<'a> {
    /// Decodes the rules and the exemptions of one command from two blocks of `gate.policy`.
    pub fn read(rules: &'a [u8], exemptions: &'a [u8]) -> Result<Self, CorruptData> {
        let mut result = Rules::default();
        let mut from = Reader::new(rules);
        if !from.is_at_end() {
            result.rules.reserve(from.u16()?.into());
        }
        while !from.is_at_end() {
            result.rules.push(Rule::read(&mut from)?);
        }
        let mut from = Reader::new(exemptions);
        while !from.is_at_end() {
            result.exemptions.push(from.bytes()?);
        }
        Ok(result)
    }

    /// Whether a rate limit of the command's rules depends on the load level of the server.
    #[must_use]
    pub fn need_the_pressure(&self) -> bool {
        self.rules.iter().any(|rule| match &rule.kind {
            Kind::Rate(rates) => rates.min_level > Level::Low,
            Kind::Scope(_) | Kind::ScanLimits(_) | Kind::Program(_) => false,
        })
    }

    /// Whether one of the command's rules needs the names of the server's depots.
    #[must_use]
    pub fn need_the_depots(&self) -> bool {
        let needs = |kind: &Kind<'_>| kind.needs_an_estimate() || matches!(kind, Kind::Scope(_));
        self.rules.iter().any(|rule| needs(&rule.kind))
    }

    /// Iterates over the numbers (0, 1, 2 ...) of the exemptions in this command's own list.
    pub fn exemptions(&self) -> impl Iterator<Item = u16> {
        (0..).take(self.exemptions.len())
    }

    /// The exemption with a given number, its position (0, 1, 2 ...) in this command's own list;
    /// None if the list has none there.
    #[must_use]
    pub fn exemption(&self, number: u16) -> Option<Exemption<'a>> {
        let entry = self.exemptions.get(usize::from(number))?;
        Exemption::read(&mut Reader::new(entry)).ok()
    }
}

impl<'a> Rule<'a> {
    /// Iterates over the numbers (see `Rules::exemption`) of the exemptions that concern this rule,
    /// in policy order.
    pub fn exemptions(&self) -> impl Iterator<Item = u16> + use<'a> {
        let (numbers, _) = self.exemptions.as_chunks();
        numbers.iter().map(|number| u16::from_le_bytes(*number))
    }

    /// Iterates over the options or words of which the command must have one for the rule to cover
    /// it; empty if the rule covers the command with any arguments.
    pub fn required_words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.required_words;
        std::iter::from_fn(move || rest.text().ok())
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, CorruptData> {
        let (kind, mode) = (from.u8()?, Mode::read(from)?);
        let (name, advice, exemptions) = (from.text()?, from.optional_text()?, from.bytes()?);
        let required_words = Reader::new(from.bytes()?);
        let settings = Reader::new(from.bytes()?);
        let kind = match kind {
            RATE => Kind::Rate(Rates::read(settings)?),
            SCOPE => Kind::Scope(Scope::read(settings)?),
            SCANNED => Kind::ScanLimits(ScanLimits::read(settings)?),
            PROGRAM => Kind::Program(Programs::read(settings)),
            _ => return Err(CorruptData),
        };
        Ok(Rule { name, advice, mode, kind, exemptions, required_words })
    }
}
