use crate::assemble::index_build::{BuiltIndex, Sources, build};
use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::subcommands::json_lines::{Lines, text};
use crate::subcommands::record_lines::RecordLines;
use crate::subcommands::show::head_json;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Between two reports of progress, of the files as stored.
const STEP_BYTES: u64 = 8 << 20;

/// `p4warden-index build`: prints the settings and totals of the index as one JSON line, or
/// with `--tables` the records as `RecordLines` does, and then the longest paths as
/// `["path", PATH, BYTES]`.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options =
        Options::read(words, &["progress"], &["output", "journal", "server-id", "tables"])?;
    let output = options.get("output").ok_or_else(|| missing_option("--output"))?;
    if options.words.is_empty() {
        return Err(missing_option("the checkpoint"));
    }
    let sources = Sources {
        checkpoints: options.words.iter().map(PathBuf::from).collect(),
        journals: options.all("journal").map(PathBuf::from).collect(),
        server_id: options.get("server-id").map(str::to_owned),
        case: None,
    };
    if let Some(names) = options.get("tables") {
        return with_records(&sources, Path::new(output), names);
    }
    let contents = with_progress(&sources, Path::new(output), options.has("progress"))?;
    contents.notes.iter().for_each(|note| eprintln!("p4warden-index: {note}"));
    let mut lines = Lines::new();
    lines.line(&head_json(&contents.head));
    lines.finish()
}

fn with_progress(sources: &Sources, to: &Path, is_shown: bool) -> Result<BuiltIndex, Fault> {
    let mut reports = Reports::default();
    build(sources, to, &mut |read_bytes, of_bytes| {
        if is_shown && reports.is_due(read_bytes) {
            eprintln!("{{\"read_bytes\": {read_bytes}, \"of_bytes\": {of_bytes}}}");
        }
    })
}

fn with_records(sources: &Sources, to: &Path, names: &str) -> Result<(), Fault> {
    let mut records = RecordLines::of(names)?;
    let result = build(sources, to, &mut records);
    records.flush()?;
    result?.notes.iter().for_each(|note| eprintln!("p4warden-index: {note}"));
    let mut lines = Lines::new();
    let paths = records.longest.all();
    paths.for_each(|(bytes, path)| lines.line(&json!(["path", text(path), bytes])));
    lines.finish()
}

#[derive(Debug, Default)]
struct Reports {
    last_bytes: Option<u64>,
}

impl Reports {
    /// The number drops if a checkpoint is read a second time.
    fn is_due(&mut self, read_bytes: u64) -> bool {
        let is_due = self.last_bytes.is_none_or(|last| read_bytes.abs_diff(last) >= STEP_BYTES);
        if is_due {
            self.last_bytes = Some(read_bytes);
        }
        is_due
    }
}

fn missing_option(subject: &str) -> Fault {
    Fault::Usage(format!("{subject} is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_of_a_second_pass_is_reported() {
        let mut reports = Reports::default();
        let mebibytes = [0, 4, 8, 15, 17, 30, 1, 8, 9];
        let reported: Vec<_> =
            mebibytes.into_iter().filter(|number| reports.is_due(number << 20)).collect();
        assert_eq!(reported, [0, 8, 17, 30, 1, 9]);
    }
}
