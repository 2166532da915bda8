//! Parser of the settings of a rule `limit_command_scope` in `policy.json`.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Maximum depth of paths that a policy may require, the same as in `p4warden check`; a refusal
/// shows an example path with that many directories.
const MAX_DEPTH: u64 = 20;

#[derive(Debug, Deserialize)]
pub struct Scope {
    /// Complete directories below the depot before the first wildcard.
    pub min_depth: u64,
    /// By depot name, in place of `min_depth`.
    #[serde(default)]
    pub depots: BTreeMap<String, u64>,
}

pub(super) fn read(settings: Value) -> Result<Scope, String> {
    let scope: Scope = serde_json::from_value(settings).map_err(|error| error.to_string())?;
    let deepest = scope.depots.values().copied().fold(scope.min_depth, u64::max);
    if deepest > MAX_DEPTH {
        return Err(format!("{deepest} directories are over {MAX_DEPTH}"));
    }
    Ok(scope)
}
