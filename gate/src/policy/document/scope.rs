//! The settings of `limit_command_scope`.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// As `check` has it; a refusal shows a path of so many directories.
const MAX_DEPTH: u64 = 20;

/// Settings of a rule `limit_command_scope`.
#[derive(Debug, Deserialize)]
pub struct Scope {
    /// Complete directories that an argument must name below the depot.
    pub min_depth: u64,
    /// Other depths by depot name.
    #[serde(default)]
    pub depots: BTreeMap<String, u64>,
}

/// Reads the settings; the error names their fault.
pub(super) fn read(settings: Value) -> Result<Scope, String> {
    let scope: Scope = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    let deepest = scope.depots.values().copied().fold(scope.min_depth, u64::max);
    if deepest > MAX_DEPTH {
        return Err(format!("{deepest} directories are over {MAX_DEPTH}"));
    }
    Ok(scope)
}
