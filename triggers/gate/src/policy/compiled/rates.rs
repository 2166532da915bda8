//! Reader and writer of the settings of one rule `limit_command_rate` in `gate.policy`.

use super::parts::Parts;
use crate::base::bytes::{CorruptData, Reader, Writer, put_text};
use crate::policy::document::{self, Unit, Weight};
use crate::policy::pressure::Level;
use crate::rate::gcra::Rate;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::borrow::Cow;
use std::hash::Hasher;

/// The delay and the rate limits of one rule `limit_command_rate`, as stored in `gate.policy`.
#[derive(Debug)]
pub struct Rates<'a> {
    /// Maximum time in nanoseconds by which the rule delays a request that exceeds a limit; 0 if
    /// the rule refuses such requests immediately.
    pub max_delay_ns: u64,
    /// The highest of the load levels from which the rule's limits apply; at or above this level
    /// all limits of the rule apply.
    pub min_level: Level,
    /// The records that the limits count; None if they count commands.
    pub weight: Option<Weight>,
    limits: Reader<'a>,
}

/// One limit of a rule `limit_command_rate`: a rate and the parts of a request that it counts by.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// Maximum number of requests in quick succession that a rate limit allows after a pause.
    pub burst: u64,
    /// The steady rate and the tolerance of the limit, computed from the policy's `allow` and
    /// `burst`.
    pub rate: Rate,
    /// Lowest load level of the server at which the rate limit applies; `Low` if it always applies.
    pub min_level: Level,
    /// The parts of a request, such as the user, by which the limit counts separately.
    pub parts: Parts,
    /// Hash that identifies the limit in the state file, computed from the rule's name and the
    /// limit's settings.
    pub id: u128,
    allow: &'a [u8],
}

impl<'a> Rates<'a> {
    pub(super) fn read(mut from: Reader<'a>) -> Result<Self, CorruptData> {
        let (max_delay_ns, unit, unknown_as) = (from.u64()?, from.u8()?, from.u64()?);
        let weight = unit_of(unit)?.map(|unit| Weight { unit, unknown_as });
        let limits = from;
        let (mut rest, mut min_level) = (limits, Level::Low);
        while !rest.is_at_end() {
            min_level = min_level.max(Limit::read(&mut rest)?.min_level);
        }
        Ok(Rates { max_delay_ns, min_level, weight, limits })
    }

    /// Iterates over all limits of the rule `limit_command_rate`, whatever the server's load level;
    /// each limit states the level from which it applies.
    pub fn limits(&self) -> impl Iterator<Item = Limit<'a>> + use<'a> {
        let mut rest = self.limits;
        std::iter::from_fn(move || Limit::read(&mut rest).ok())
    }
}

impl<'a> Limit<'a> {
    /// The rate of the limit in short notation, such as `50/s`, for refusals and the decision log.
    #[must_use]
    pub fn allow(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.allow)
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, CorruptData> {
        let (id, parts) = (from.u128()?, Parts::from_number(from.u8()?));
        let min_level = Level::from_number(from.u8()?).ok_or(CorruptData)?;
        let (burst, interval_ns, tolerance_ns) = (from.u64()?, from.u64()?, from.u64()?);
        let rate = Rate { interval_ns: interval_ns.max(1), tolerance_ns };
        Ok(Limit { allow: from.bytes()?, burst, rate, min_level, parts, id })
    }
}

fn number_of(unit: Option<Unit>) -> u8 {
    match unit {
        None => 0,
        Some(Unit::Files) => 1,
        Some(Unit::Revisions) => 2,
    }
}

fn unit_of(number: u8) -> Result<Option<Unit>, CorruptData> {
    let units = [None, Some(Unit::Files), Some(Unit::Revisions)];
    units.get(usize::from(number)).copied().ok_or(CorruptData)
}

pub(super) fn write(to: &mut Writer, rule: &str, rates: &document::Rates) {
    let unit = rates.weight.map(|weight| weight.unit);
    to.u64(rates.max_delay_ns).u8(number_of(unit));
    to.u64(rates.weight.map_or(0, |weight| weight.unknown_as));
    for limit in &rates.limits {
        to.raw(&of_limit(rule, limit, unit).to_le_bytes());
        to.u8(Parts::of(&limit.per).number()).u8(limit.min_level.number());
        to.u64(limit.burst).u64(limit.rate.interval_ns).u64(limit.rate.tolerance_ns);
        to.text(&limit.allow);
    }
}

/// Computes the hash that identifies a limit of a rule. A changed limit gets another hash and
/// therefore starts with unused rates.
fn of_limit(rule: &str, limit: &document::Limit, unit: Option<Unit>) -> u128 {
    let mut hasher = SipHasher13::new();
    put_text(&mut hasher, rule.as_bytes());
    put_text(&mut hasher, limit.allow.as_bytes());
    hasher.write_u64(limit.burst);
    hasher.write_u8(limit.min_level.number());
    hasher.write_u8(number_of(unit));
    Parts::of(&limit.per).iter().for_each(|part| hasher.write_u8(part as u8));
    hasher.finish128().as_u128()
}
