//! The rules and exemptions of one command, decoded from `gate.policy` without copying.

use super::exemptions::Exemption;
use super::modes::Mode;
use super::programs::Programs;
use super::rates::Rates;
use super::scan_limits::ScanLimits;
use super::scope::Scope;
use crate::base::bytes::{CorruptData, Reader};
use crate::policy::pressure::Level;

pub(super) const RATE: u8 = 1;
pub(super) const SCOPE: u8 = 2;
pub(super) const PROGRAM: u8 = 3;
pub(super) const SCANNED: u8 = 4;

#[derive(Debug, Default)]
pub struct Rules<'a> {
    /// In the order of the policy.
    pub rules: Vec<Rule<'a>>,
    /// Still encoded, in the order of the policy; rules refer to them by index.
    exemptions: Vec<&'a [u8]>,
}

#[derive(Debug)]
pub struct Rule<'a> {
    pub name: &'a str,
    /// One to three lines; None if the policy gives none.
    pub advice: Option<&'a str>,
    pub mode: Mode<'a>,
    pub kind: Kind<'a>,
    exemptions: &'a [u8],
    required_words: Reader<'a>,
}

#[derive(Debug)]
pub enum Kind<'a> {
    Rate(Rates<'a>),
    Scope(Scope<'a>),
    ScanLimits(ScanLimits),
    Program(Programs<'a>),
}

impl Kind<'_> {
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

    #[must_use]
    pub fn need_the_pressure(&self) -> bool {
        self.rules.iter().any(|rule| match &rule.kind {
            Kind::Rate(rates) => rates.min_level > Level::Low,
            Kind::Scope(_) | Kind::ScanLimits(_) | Kind::Program(_) => false,
        })
    }

    #[must_use]
    pub fn need_the_depots(&self) -> bool {
        let needs = |kind: &Kind<'_>| kind.needs_an_estimate() || matches!(kind, Kind::Scope(_));
        self.rules.iter().any(|rule| needs(&rule.kind))
    }

    pub fn exemptions(&self) -> impl Iterator<Item = u16> {
        (0..).take(self.exemptions.len())
    }

    /// By its position in this command's own list.
    #[must_use]
    pub fn exemption(&self, number: u16) -> Option<Exemption<'a>> {
        let entry = self.exemptions.get(usize::from(number))?;
        Exemption::read(&mut Reader::new(entry)).ok()
    }
}

impl<'a> Rule<'a> {
    /// In policy order; see `Rules::exemption`.
    pub fn exemptions(&self) -> impl Iterator<Item = u16> + use<'a> {
        let (numbers, _) = self.exemptions.as_chunks();
        numbers.iter().map(|number| u16::from_le_bytes(*number))
    }

    /// The command must have one of them; empty if the rule covers it with any arguments.
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
