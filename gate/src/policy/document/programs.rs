//! The settings of `block_client_program`.

use crate::paths::client_version::Version;
use serde::Deserialize;
use serde_json::Value;

/// One entry under `programs:`.
#[derive(Debug, Deserialize)]
pub struct Program {
    /// A pattern of program names.
    pub program: String,
    /// The version from which on it is allowed; None where none is.
    #[serde(default)]
    pub below: Option<String>,
    /// The advice in the refusal.
    #[serde(default)]
    pub advice: Option<String>,
}

#[derive(Deserialize)]
struct Document {
    programs: Vec<Program>,
}

/// Reads the settings; the error names their fault.
pub(super) fn read(settings: Value) -> Result<Vec<Program>, String> {
    let document: Document = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    for below in document.programs.iter().filter_map(|entry| entry.below.as_ref()) {
        Version::parse(below.as_bytes()).ok_or_else(|| format!("{below:?} is no version"))?;
    }
    Ok(document.programs)
}
