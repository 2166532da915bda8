use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::source::checkpoint::with_journals;
use crate::source::ends::FileRole;
use crate::source::fields::Fields;
use crate::source::records::Records;
use crate::source::table::{Kind, Table};
use crate::subcommands::json_lines::{Lines, text};
use serde_json::json;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::rc::Rc;

const MAX_PATHS: usize = 20;

/// `p4warden-index longest`: the longest depot paths in a checkpoint and journals, with their
/// lengths in bytes, as JSON lines, longest path first.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &["journal"])?;
    let files: Vec<PathBuf> = options.words.iter().map(PathBuf::from).collect();
    // Checkpoints of old server releases do not contain `db.revhx`.
    let (mut heads, mut revisions) = (BTreeSet::new(), BTreeSet::new());
    let journals: Vec<PathBuf> = options.all("journal").map(PathBuf::from).collect();
    for (part, role) in with_journals(&files, &journals, FileRole::LastJournal)? {
        let mut records = Records::of(&part, role, Rc::default())?;
        let is_path = |table| matches!(table, Table::RevHx | Table::Rev);
        while let Some(record) = records.next(is_path)? {
            let longest = if record.head.table == Table::Rev { &mut revisions } else { &mut heads };
            if matches!(record.head.kind, Kind::Put | Kind::Replace)
                && let Some(path) = Fields::new(records.values(&record)).text()
            {
                take(longest, &path);
            }
        }
    }
    let mut lines = Lines::new();
    for (bytes, path) in (if heads.is_empty() { revisions } else { heads }).iter().rev() {
        lines.line(&json!({"path": text(path), "bytes": bytes}));
    }
    lines.finish()
}

fn take(longest: &mut BTreeSet<(usize, Vec<u8>)>, path: &[u8]) {
    if longest.len() < MAX_PATHS || longest.first().is_some_and(|(bytes, _)| path.len() > *bytes) {
        longest.insert((path.len(), path.to_vec()));
    }
    if longest.len() > MAX_PATHS {
        longest.pop_first();
    }
}
