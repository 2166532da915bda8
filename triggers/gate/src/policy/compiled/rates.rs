//! Reader and writer of the settings of one rule `limit_command_rate` in `gate.policy`.

use super::parts::Parts;
use crate::base::bytes::{CorruptData, Reader, Writer, put_text};
use crate::policy::document::{self, Unit, Weight};
use crate::policy::pressure::Level;
use crate::rate::gcra::Rate;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::borrow::Cow;
use std::hash::Hasher;

#[derive(Debug)]
pub struct Rates<'a> {
    /// 0 if the rule refuses requests beyond a limit immediately.
    pub max_delay_ns: u64,
    /// At or above this load level all limits of the rule apply.
    pub min_level: Level,
    /// The records that the limits count; None if they count commands.
    pub weight: Option<Weight>,
    limits: Reader<'a>,
}

#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// Maximum number of requests in quick succession after a pause.
    pub burst: u64,
    /// Computed from the policy's `allow` and `burst`.
    pub rate: Rate,
    /// Lowest load level at which the limit applies.
    pub min_level: Level,
    pub parts: Parts,
    /// Identifies the limit in the state file.
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

    pub fn limits(&self) -> impl Iterator<Item = Limit<'a>> + use<'a> {
        let mut rest = self.limits;
        std::iter::from_fn(move || Limit::read(&mut rest).ok())
    }
}

impl<'a> Limit<'a> {
    /// Short notation, such as `50/s`.
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

/// A changed limit gets another hash and therefore starts with unused rates.
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
