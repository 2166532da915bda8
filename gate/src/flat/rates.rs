//! The settings of one rule `limit_command_rate`, written and read in place.

use crate::bytes::{Corrupt, Reader, Writer};
use crate::gcra::Rate;
use crate::policy::{self, Part};
use crate::pressure::Level;

/// The order in which a limit's parts are written and hashed.
const PARTS: [Part; 6] =
    [Part::User, Part::Client, Part::Ip, Part::Program, Part::Args, Part::Shape];

/// What a rule `limit_command_rate` allows.
#[derive(Debug)]
pub struct Rates<'a> {
    /// What must all conform.
    pub limits: Vec<Limit<'a>>,
    /// For how long a request may be made to wait; 0 where it is refused at once.
    pub max_delay_ns: u64,
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

impl<'a> Rates<'a> {
    pub(super) fn read(from: &mut Reader<'a>) -> Result<Self, Corrupt> {
        let (max_delay_ns, count) = (from.u64()?, from.u16()?);
        let limits = (0..count).map(|_| Limit::read(from)).collect::<Result<_, _>>()?;
        Ok(Rates { limits, max_delay_ns })
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

pub(super) fn write(to: &mut Writer, rates: &policy::Rates) {
    to.u64(rates.max_delay_ns);
    to.u16(u16::try_from(rates.limits.len()).unwrap_or(u16::MAX));
    for limit in &rates.limits {
        let bit = |part| PARTS.iter().position(|known| known == part).map_or(0, |at| 1 << at);
        to.u8(limit.per.iter().map(bit).fold(0, |all, one| all | one)).u8(limit.when.number());
        to.u64(limit.burst).u64(limit.rate.interval_ns).u64(limit.rate.tolerance_ns);
        to.text(&limit.allow);
    }
}
