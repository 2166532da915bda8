use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::subcommands::json_lines::{Lines, of_index, open_index};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// `p4warden-index lengths`: the numbers of sampled files by the bytes of their depot paths, as JSON
/// lines, shortest paths first; of revisions if the checkpoint has no table of files.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let path = options.file_and_rest()?.0;
    let index = open_index(path)?;
    let [files, revisions] = index.head.samples;
    let samples = if files.entries == 0 { revisions } else { files };
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    let result = index.each(samples, |path, _| *counts.entry(path.len()).or_default() += 1);
    result.map_err(|problem| of_index(path, &problem))?;
    let mut lines = Lines::default();
    for (bytes, files) in counts {
        lines.line(&json!({"bytes": bytes, "files": files}));
    }
    lines.finish()
}
