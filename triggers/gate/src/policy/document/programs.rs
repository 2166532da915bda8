//! Parser of the settings of a rule `block_client_program` in `policy.json`.

use crate::paths::client_version::Version;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub struct Program {
    /// A pattern.
    pub program: String,
    /// Lowest version that is allowed; None if every version is blocked.
    #[serde(default)]
    pub below: Option<String>,
    #[serde(default)]
    pub advice: Option<String>,
}

#[derive(Deserialize)]
struct Document {
    programs: Vec<Program>,
}

pub(super) fn read(settings: Value) -> Result<Vec<Program>, String> {
    let document: Document = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    for below in document.programs.iter().filter_map(|entry| entry.below.as_ref()) {
        Version::parse(below.as_bytes()).ok_or_else(|| format!("{below:?} is not a version"))?;
    }
    Ok(document.programs)
}
