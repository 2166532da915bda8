//! The settings of one rule `limit_running_time`.

use crate::base::json_text::Text;
use crate::rate::limits::duration_ns;
use serde::Deserialize;

/// No shorter `max_time` is allowed: a command that takes the number of another on the same
/// connection is told from it by its start.
pub const LEAST_NS: u64 = 60 * 1_000_000_000;

#[derive(Debug)]
pub struct RunningTime {
    pub max_time_ns: u64,
    /// As in the policy.
    pub max_time: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document<'a> {
    #[serde(borrow)]
    max_time: Text<'a>,
    /// Kept by `p4warden running`.
    #[serde(default, rename = "max_ends_per_hour")]
    _max_ends_per_hour: Option<u64>,
}

impl Document<'_> {
    pub fn checked(self) -> Result<RunningTime, String> {
        let max_time = String::from_utf8_lossy(&self.max_time).into_owned();
        let max_time_ns = duration_ns(&max_time).filter(|ns| *ns >= LEAST_NS);
        let max_time_ns = max_time_ns
            .ok_or_else(|| format!("max_time {max_time:?} is not one minute or more"))?;
        Ok(RunningTime { max_time_ns, max_time })
    }
}
