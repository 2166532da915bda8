//! The settings of one rule `limit_command_rate`, written and read in place.

use super::parts::Parts;
use crate::base::bytes::{Corrupt, Reader, Writer, put_text};
use crate::policy::document;
use crate::policy::pressure::Level;
use crate::rate::gcra::Rate;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::borrow::Cow;
use std::hash::Hasher;

/// Settings of a rule `limit_command_rate`.
#[derive(Debug)]
pub struct Rates<'a> {
    /// For how long a request may be made to wait; 0 where it is refused at once.
    pub max_delay_ns: u64,
    /// From which pressure on the last of its limits is one.
    pub when: Level,
    limits: Reader<'a>,
}

/// One of the limits of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// How many may come at once after a pause.
    pub burst: u64,
    /// The rate that `allow` and the burst mean.
    pub rate: Rate,
    /// From which pressure on it is a limit at all.
    pub when: Level,
    /// The parts that tell requests apart.
    pub parts: Parts,
    /// The limit's own number, which depends on its rule's name as well.
    pub id: u128,
    allow: &'a [u8],
}

impl<'a> Rates<'a> {
    pub(super) fn read(mut from: Reader<'a>) -> Result<Self, Corrupt> {
        let (max_delay_ns, limits) = (from.u64()?, from);
        let (mut rest, mut when) = (limits, Level::Low);
        while !rest.is_at_end() {
            when = when.max(Limit::read(&mut rest)?.when);
        }
        Ok(Rates { max_delay_ns, when, limits })
    }

    /// The limits that must all conform.
    pub fn limits(&self) -> impl Iterator<Item = Limit<'a>> + use<'a> {
        let mut rest = self.limits;
        std::iter::from_fn(move || Limit::read(&mut rest).ok())
    }
}

impl<'a> Limit<'a> {
    /// The rate as the policy writes it; read as a text only where it is told.
    #[must_use]
    pub fn allow(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.allow)
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        let (id, parts) = (from.u128()?, Parts::from_number(from.u8()?));
        let when = Level::from_number(from.u8()?).ok_or(Corrupt)?;
        let (burst, interval_ns, tolerance_ns) = (from.u64()?, from.u64()?, from.u64()?);
        let rate = Rate { interval_ns: interval_ns.max(1), tolerance_ns };
        Ok(Limit { allow: from.bytes()?, burst, rate, when, parts, id })
    }
}

pub(super) fn write(to: &mut Writer, rule: &str, rates: &document::Rates) {
    to.u64(rates.max_delay_ns);
    for limit in &rates.limits {
        to.raw(&of_limit(rule, limit).to_le_bytes());
        to.u8(Parts::of(&limit.per).number()).u8(limit.when.number());
        to.u64(limit.burst).u64(limit.rate.interval_ns).u64(limit.rate.tolerance_ns);
        to.text(&limit.allow);
    }
}

/// The number of a limit. A changed limit has another one, so that it starts afresh.
fn of_limit(rule: &str, limit: &document::Limit) -> u128 {
    let mut hasher = SipHasher13::new();
    put_text(&mut hasher, rule.as_bytes());
    put_text(&mut hasher, limit.allow.as_bytes());
    hasher.write_u64(limit.burst);
    hasher.write_u8(limit.when.number());
    Parts::of(&limit.per).iter().for_each(|part| hasher.write_u8(part as u8));
    hasher.finish128().as_u128()
}
