use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::file::delta::DeltaHead;
use crate::subcommands::json_lines::Lines;
use crate::update::index_update::update;
use crate::update::pieces::Journals;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `p4warden-index update`: writes the delta file, and prints its numbers as JSON.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &["journal", "rotated"])?;
    let (file, _) = options.file_and_rest()?;
    let live_path = options.get("journal").map(PathBuf::from);
    let live_path = live_path.ok_or_else(|| Fault::Usage("--journal is missing".to_owned()))?;
    let rotated_path = options.get("rotated").map_or_else(|| live_path.clone(), PathBuf::from);
    let result = update(Path::new(file), &Journals { live_path, rotated_path })?;
    let mut lines = Lines::new();
    lines.line(&head_json(&result.head, result.transactions));
    lines.finish()
}

fn head_json(head: &DeltaHead, transactions: u64) -> Value {
    json!({
        "transactions": transactions,
        "time_s": head.time_s,
        "files": head.counts[0].entries,
        "revisions": head.counts[1].entries,
        "clients": head.clients.entries,
        "streams": head.streams.entries,
    })
}
