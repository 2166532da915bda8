//! The settings of one rule `limit_concurrent_commands`.

use crate::base::bytes::put_text;
use crate::policy::parts::Parts;
use crate::policy::rates::{Action, max_delay_ns};
use crate::rate::limits::duration_ns;
use serde::Deserialize;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

const TWO_HOURS_NS: u64 = 2 * 3_600 * 1_000_000_000;

#[derive(Debug)]
pub struct Concurrency {
    /// A command runs if all of them let it.
    pub limits: Vec<ConcurrencyLimit>,
    /// 0 if the rule refuses commands beyond a limit immediately.
    pub max_delay_ns: u64,
    /// The longest time for which a command counts.
    pub max_age_ns: u64,
    /// Hash of the rule's name.
    pub id: u64,
}

#[derive(Debug)]
pub struct ConcurrencyLimit {
    pub parts: Parts,
    pub at_most: u32,
    /// Identifies what the limit counts by, whatever its number is.
    pub id: u128,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    limits: Vec<LimitDocument>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    max_delay: Option<String>,
    #[serde(default)]
    max_age: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitDocument {
    per: Parts,
    at_most: u32,
}

impl Document {
    pub fn checked(self, rule: &str, id: u64) -> Result<Concurrency, String> {
        let of_limit = |limit: LimitDocument| {
            let LimitDocument { per: parts, at_most } = limit;
            ConcurrencyLimit { parts, at_most, id: hash(rule, parts) }
        };
        let limits = self.limits.into_iter().map(of_limit).collect();
        let max_delay_ns = max_delay_ns(&self.action, self.max_delay.as_deref())
            .ok_or("delay needs a max_delay such as 2s")?;
        let max_age_ns = self.max_age.as_deref().map_or(Some(TWO_HOURS_NS), duration_ns);
        let max_age_ns = max_age_ns.ok_or("max_age is not a duration such as 2h")?;
        Ok(Concurrency { limits, max_delay_ns, max_age_ns, id })
    }
}

fn hash(rule: &str, parts: Parts) -> u128 {
    let mut hasher = SipHasher13::new();
    put_text(&mut hasher, rule.as_bytes());
    parts.iter().for_each(|part| hasher.write_u8(part as u8));
    hasher.finish128().as_u128()
}
