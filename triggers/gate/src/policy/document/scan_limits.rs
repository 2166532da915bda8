//! Parser of the settings of a rule `limit_scanned_rows` in `policy.json`.

use serde::Deserialize;
use serde_json::Value;

/// Estimated numbers; None for no limit.
#[derive(Debug, Deserialize)]
pub struct ScanLimits {
    #[serde(default)]
    pub max_files: Option<u64>,
    #[serde(default)]
    pub max_revisions: Option<u64>,
}

pub(super) fn read(settings: Value) -> Result<ScanLimits, String> {
    serde_json::from_value(settings).map_err(|error| error.to_string())
}
