//! The settings of one rule `limit_command_rate`.

use crate::base::bytes::put_text;
use crate::policy::parts::Parts;
use crate::policy::pressure::{LeastLoad, Level};
use crate::rate::gcra::Rate;
use crate::rate::limits;
use serde::Deserialize;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::borrow::Cow;
use std::hash::Hasher;

#[derive(Debug)]
pub struct Rates {
    /// A request must conform to all that apply at the server's load level.
    pub limits: Vec<Limit>,
    /// 0 if the rule refuses requests beyond a limit immediately.
    pub max_delay_ns: u64,
    /// The records that the limits count; None if they count commands.
    pub weight: Option<Weight>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    pub unit: Unit,
    /// The number of records that a command without an estimate counts as.
    pub unknown_as: u64,
}

/// A command counts with the records that it reads, whichever of the two they are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Files,
    Revisions,
}

#[derive(Debug)]
pub struct Limit {
    pub parts: Parts,
    /// Short notation, such as `50/s` also where the policy has `50 per 1s`.
    pub allow: String,
    /// Maximum number of requests in quick succession after a pause.
    pub burst: u64,
    pub rate: Rate,
    pub least_load: LeastLoad,
    /// Identifies the limit in the state file.
    pub id: u128,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document<'a> {
    #[serde(borrow)]
    limits: Vec<LimitDocument<'a>>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    max_delay: Option<String>,
    #[serde(default)]
    weight: Option<Unit>,
    #[serde(default)]
    unknown_as: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitDocument<'a> {
    per: Parts,
    #[serde(borrow)]
    allow: Cow<'a, str>,
    /// By default the number in `allow`.
    #[serde(default)]
    burst: Option<u64>,
    #[serde(default)]
    when_pressure: Option<LeastLoad>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    #[default]
    Refuse,
    Delay,
}

impl Rates {
    pub fn need_the_level(&self) -> bool {
        let of_level = |limit: &Limit| matches!(limit.least_load, LeastLoad::Level(level) if level > Level::Low);
        self.limits.iter().any(of_level)
    }

    /// The most that a limit asks for; None if none does.
    pub fn lock_waiters(&self) -> Option<u64> {
        let of_limit = |limit: &Limit| match limit.least_load {
            LeastLoad::LockWaiters(least) => Some(least),
            LeastLoad::Level(_) => None,
        };
        self.limits.iter().filter_map(of_limit).max()
    }
}

impl Document<'_> {
    pub fn checked(self, rule: &str) -> Result<Rates, String> {
        let weight = weight(self.weight, self.unknown_as)?;
        let unit = weight.map(|weight| weight.unit);
        let limits = self.limits.into_iter().map(|document| document.checked(rule, unit));
        let limits = limits.collect::<Result<Vec<_>, _>>()?;
        let max_delay_ns = max_delay_ns(&self.action, self.max_delay.as_deref())?;
        Ok(Rates { limits, max_delay_ns, weight })
    }
}

impl LimitDocument<'_> {
    fn checked(self, rule: &str, unit: Option<Unit>) -> Result<Limit, String> {
        let burst = self.burst.or_else(|| limits::count(&self.allow)).unwrap_or(1);
        let rate = limits::rate(&self.allow, burst)
            .ok_or_else(|| format!("{:?} with burst {burst} is not a rate", self.allow))?;
        let mut limit = Limit {
            parts: self.per,
            allow: limits::notation(&self.allow),
            burst,
            rate,
            least_load: self.when_pressure.unwrap_or(LeastLoad::NONE),
            id: 0,
        };
        limit.id = limit.hash(rule, unit);
        Ok(limit)
    }
}

impl Limit {
    /// A changed limit gets another hash and therefore starts with unused rates.
    fn hash(&self, rule: &str, unit: Option<Unit>) -> u128 {
        let mut hasher = SipHasher13::new();
        put_text(&mut hasher, rule.as_bytes());
        put_text(&mut hasher, self.allow.as_bytes());
        hasher.write_u64(self.burst);
        match self.least_load {
            LeastLoad::Level(level) => hasher.write_u8(level.number()),
            LeastLoad::LockWaiters(least) => {
                hasher.write_u8(u8::MAX);
                hasher.write_u64(least);
            }
        }
        hasher.write_u8(unit.map_or(0, |unit| unit as u8 + 1));
        self.parts.iter().for_each(|part| hasher.write_u8(part as u8));
        hasher.finish128().as_u128()
    }
}

fn weight(unit: Option<Unit>, unknown_as: Option<u64>) -> Result<Option<Weight>, String> {
    match (unit, unknown_as) {
        (None, None) => Ok(None),
        (Some(unit), Some(unknown_as)) => Ok(Some(Weight { unit, unknown_as })),
        (Some(_), None) => Err("weight needs unknown_as, a number of records".to_owned()),
        (None, Some(_)) => Err("unknown_as needs a weight".to_owned()),
    }
}

pub fn max_delay_ns(action: &Action, max_delay: Option<&str>) -> Result<u64, &'static str> {
    match action {
        Action::Refuse => Ok(0),
        Action::Delay => {
            max_delay.and_then(limits::duration_ns).ok_or("delay needs a max_delay such as 2s")
        }
    }
}
