//! The settings of one rule `limit_concurrent_commands`.

use crate::policy::parts::Parts;
use crate::policy::rates::{Action, max_delay_ns};
use crate::rate::limits::duration_ns;
use serde::Deserialize;

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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConcurrencyLimit {
    #[serde(rename = "per")]
    pub parts: Parts,
    pub at_most: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    limits: Vec<ConcurrencyLimit>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    max_delay: Option<String>,
    #[serde(default)]
    max_age: Option<String>,
}

impl Document {
    pub fn checked(self, id: u64) -> Result<Concurrency, String> {
        let max_delay_ns = max_delay_ns(&self.action, self.max_delay.as_deref())?;
        let max_age_ns = self.max_age.as_deref().map_or(Some(TWO_HOURS_NS), duration_ns);
        let max_age_ns = max_age_ns.ok_or("max_age is not a duration such as 2h")?;
        Ok(Concurrency { limits: self.limits, max_delay_ns, max_age_ns, id })
    }
}
