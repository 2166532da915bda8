//! One result of a rule from its answers to all readings of a command's arguments.

use crate::contract::rule_result::RuleResult;

pub enum OfReading<R> {
    Refused(R),
    Allowed,
    /// With the reason.
    Unknown(&'static str),
}

/// The first refused reading refuses the command. It is unusual if the rule allows another; readings
/// that are unknown do not count.
pub struct OfReadings<R> {
    refused: Option<R>,
    has_allowed: bool,
    unknown: Option<&'static str>,
}

impl<R> Default for OfReadings<R> {
    fn default() -> Self {
        OfReadings { refused: None, has_allowed: false, unknown: None }
    }
}

impl<R> OfReadings<R> {
    pub fn add(&mut self, one: OfReading<R>) {
        match one {
            OfReading::Refused(refused) => self.refused = self.refused.take().or(Some(refused)),
            OfReading::Allowed => self.has_allowed = true,
            OfReading::Unknown(why) => self.unknown = self.unknown.or(Some(why)),
        }
    }

    /// The reading of words apart, as they look, and a refused one of words joined. What is unknown
    /// apart is then no more than unusual.
    pub fn add_apart_or_joined(&mut self, apart: OfReading<R>, joined: Option<R>) {
        let is_unknown = matches!(apart, OfReading::Unknown(_));
        self.add(if is_unknown && joined.is_some() { OfReading::Allowed } else { apart });
        joined.into_iter().for_each(|joined| self.add(OfReading::Refused(joined)));
    }

    /// `objection` makes the result for the refused reading.
    pub fn result<'e>(self, objection: impl FnOnce(R) -> RuleResult<'e>) -> RuleResult<'e> {
        match self.refused {
            Some(refused) if self.has_allowed => objection(refused).of_one_reading(),
            Some(refused) => objection(refused),
            None => RuleResult { unknown: self.unknown, ..RuleResult::default() },
        }
    }
}
