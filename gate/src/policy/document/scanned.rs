//! The settings of `limit_scanned_rows` in `policy.json`.

use serde::Deserialize;
use serde_json::Value;

/// The limits of one rule `limit_scanned_rows`, in estimated records.
#[derive(Debug, Deserialize)]
pub struct Scanned {
    /// Maximum number of files that a command may read; None for no limit.
    #[serde(default)]
    pub max_files: Option<u64>,
    /// Maximum number of revisions that a command may read; None for no limit.
    #[serde(default)]
    pub max_revisions: Option<u64>,
}

/// Parses the settings of a rule `limit_scanned_rows`; the error describes the invalid one.
pub(super) fn read(settings: Value) -> Result<Scanned, String> {
    serde_json::from_value(settings).map_err(|error| error.to_string())
}
