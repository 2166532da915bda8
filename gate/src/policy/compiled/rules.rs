//! The rules and exemptions of one command, read in place.

use super::exemptions::Exemption;
use super::modes::Mode;
use super::programs::Programs;
use super::rates::Rates;
use super::scanned::Scanned;
use super::scope::Scope;
use crate::base::bytes::{Corrupt, Reader};
use crate::policy::pressure::Level;

/// The number of a rule `limit_command_rate`.
pub(super) const RATE: u8 = 1;
/// The number of a rule `limit_command_scope`.
pub(super) const SCOPE: u8 = 2;
/// The number of a rule `block_client_program`.
pub(super) const PROGRAM: u8 = 3;
/// The number of a rule `limit_scanned_rows`.
pub(super) const SCANNED: u8 = 4;

/// The rules and exemptions that concern one command.
#[derive(Debug, Default)]
pub struct Rules<'a> {
    /// In policy order.
    pub rules: Vec<Rule<'a>>,
    /// In policy order, as they were written; rules name them by their index.
    exemptions: Vec<&'a [u8]>,
}

/// One rule.
#[derive(Debug)]
pub struct Rule<'a> {
    /// The name that people see.
    pub name: &'a str,
    /// For whom it acts.
    pub mode: Mode<'a>,
    /// Which rule, and its settings.
    pub kind: Kind<'a>,
    exemptions: &'a [u8],
    only: Reader<'a>,
}

/// The rules that there are, by their settings.
#[derive(Debug)]
pub enum Kind<'a> {
    /// `limit_command_rate`.
    Rate(Rates<'a>),
    /// `limit_command_scope`.
    Scope(Scope<'a>),
    /// `limit_scanned_rows`.
    Scanned(Scanned),
    /// `block_client_program`.
    Program(Programs<'a>),
}

impl Kind<'_> {
    /// The rule's word in a policy and in the log.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Rate(_) => "limit_command_rate",
            Kind::Scope(_) => "limit_command_scope",
            Kind::Scanned(_) => "limit_scanned_rows",
            Kind::Program(_) => "block_client_program",
        }
    }
}

impl<'a> Rules<'a> {
    /// Reads the two blocks of a command.
    pub fn read(rules: &'a [u8], exemptions: &'a [u8]) -> Result<Self, Corrupt> {
        let mut found = Rules::default();
        let mut from = Reader::new(rules);
        if !from.is_at_end() {
            found.rules.reserve(from.u16()?.into());
        }
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
        self.rules.iter().any(|rule| match &rule.kind {
            Kind::Rate(rates) => rates.when > Level::Low,
            Kind::Scope(_) | Kind::Scanned(_) | Kind::Program(_) => false,
        })
    }

    /// Whether a rule asks which names are depots.
    #[must_use]
    pub fn need_the_depots(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule.kind, Kind::Scope(_) | Kind::Scanned(_)))
    }

    /// Whether a rule asks what the index of the checkpoint says.
    #[must_use]
    pub fn need_the_index(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule.kind, Kind::Scanned(_)))
    }

    /// The numbers of the exemptions.
    pub fn exemptions(&self) -> impl Iterator<Item = u16> {
        (0..).take(self.exemptions.len())
    }

    /// The exemption of a number.
    #[must_use]
    pub fn exemption(&self, number: u16) -> Option<Exemption<'a>> {
        let entry = self.exemptions.get(usize::from(number))?;
        Exemption::read(&mut Reader::new(entry)).ok()
    }
}

impl<'a> Rule<'a> {
    /// The numbers of the exemptions that are for it, in policy order.
    pub fn exemptions(&self) -> impl Iterator<Item = u16> + use<'a> {
        let (numbers, _) = self.exemptions.as_chunks();
        numbers.iter().map(|number| u16::from_le_bytes(*number))
    }

    /// The words of which one must be added to the command; none for a rule about all of it.
    pub fn only(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.only;
        std::iter::from_fn(move || rest.text().ok())
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        let (kind, mode) = (from.u8()?, Mode::read(from)?);
        let (name, exemptions) = (from.text()?, from.bytes()?);
        let only = Reader::new(from.bytes()?);
        let settings = Reader::new(from.bytes()?);
        let kind = match kind {
            RATE => Kind::Rate(Rates::read(settings)?),
            SCOPE => Kind::Scope(Scope::read(settings)?),
            SCANNED => Kind::Scanned(Scanned::read(settings)?),
            PROGRAM => Kind::Program(Programs::read(settings)),
            _ => return Err(Corrupt),
        };
        Ok(Rule { name, mode, kind, exemptions, only })
    }
}
