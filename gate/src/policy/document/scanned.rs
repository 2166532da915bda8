//! The settings of `limit_scanned_rows`.

use serde::Deserialize;
use serde_json::Value;

/// Settings of a rule `limit_scanned_rows`.
#[derive(Debug, Deserialize)]
pub struct Scanned {
    /// So many files may be looked through; None for any number.
    #[serde(default)]
    pub max_files: Option<u64>,
    /// So many revisions; None for any number.
    #[serde(default)]
    pub max_revisions: Option<u64>,
}

/// Reads the settings; the error names their fault.
pub(super) fn read(settings: Value) -> Result<Scanned, String> {
    serde_json::from_value(settings).map_err(|error| error.to_string())
}
