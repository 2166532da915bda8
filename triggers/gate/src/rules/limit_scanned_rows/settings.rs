//! The settings of one rule `limit_scanned_rows`.

use serde::Deserialize;
use serde::de::Deserializer;

/// Estimated numbers; `u64::MAX` for no limit.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanLimits {
    #[serde(default = "none", deserialize_with = "limit")]
    pub max_files: u64,
    #[serde(default = "none", deserialize_with = "limit")]
    pub max_revisions: u64,
}

fn none() -> u64 {
    u64::MAX
}

fn limit<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Option::deserialize(from).map(|limit| limit.unwrap_or_else(none))
}
