//! Parser of the settings of a rule `limit_scanned_rows` in `policy.json`.

use serde::Deserialize;
use serde_json::Value;

/// The limits of one rule `limit_scanned_rows`: estimated numbers of files and revisions.
#[derive(Debug, Deserialize)]
pub struct ScanLimits {
    /// Maximum estimated number of files whose records a command may make the server read; None for
    /// no limit.
    #[serde(default)]
    pub max_files: Option<u64>,
    /// Maximum estimated number of revisions whose records a command may make the server read; None
    /// for no limit.
    #[serde(default)]
    pub max_revisions: Option<u64>,
}

/// Parses the settings of a rule `limit_scanned_rows` in `policy.json`; the error describes the
/// invalid setting.
pub(super) fn read(settings: Value) -> Result<ScanLimits, String> {
    serde_json::from_value(settings).map_err(|error| error.to_string())
}
