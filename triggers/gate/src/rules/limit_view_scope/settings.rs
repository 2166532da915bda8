use serde::Deserialize;
use std::collections::BTreeMap;

/// A limit of None is not judged.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default = "forms")]
    pub forms: Vec<String>,
    /// Complete directories that a line must name below the depot.
    #[serde(default = "min_depth")]
    pub min_depth: u64,
    /// In place of `min_depth`, by depot.
    #[serde(default)]
    pub depots: BTreeMap<String, u64>,
    /// The share of a depot's top directories, 0 to 1, at which a view is refused.
    pub max_share: Option<f64>,
    /// The number of top directories from which on a depot's share is judged.
    #[serde(default = "min_directories")]
    pub min_directories: usize,
    /// Of include lines.
    pub max_lines: Option<u64>,
    /// The number n of include lines with `...` before their end; p4d's map of the view, exclusions
    /// included, may have 2 * n * n rows more than the view has lines.
    pub max_embedded: Option<u64>,
    /// By the index of the server's checkpoint.
    pub max_files: Option<u64>,
}

fn forms() -> Vec<String> {
    ["client", "stream", "branch"].map(str::to_owned).into()
}

fn min_depth() -> u64 {
    1
}

fn min_directories() -> usize {
    5
}
