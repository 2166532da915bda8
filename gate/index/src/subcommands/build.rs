//! `p4warden-index build`: builds a checkpoint index from checkpoints and journals.

use crate::assemble::make::{Sources, build};
use crate::base::options::Options;
use crate::base::trouble::Trouble;
use crate::subcommands::json_lines::Lines;
use crate::subcommands::show::head_json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Minimum number of bytes that `p4warden-index build` reads between two reports of progress,
/// counted in the stored (possibly compressed) checkpoint and journal files.
const STEP_BYTES: u64 = 8 << 20;

/// Runs `p4warden-index build`: builds a checkpoint index from the given checkpoints and journals,
/// and prints the settings and totals of the index as one JSON line.
pub fn run(words: &[OsString]) -> Result<(), Trouble> {
    let options = Options::read(words, &["progress"], &["output", "journal", "server-id"])?;
    let output = options.get("output").ok_or_else(|| missing("--output"))?;
    if options.words.is_empty() {
        return Err(missing("the checkpoint"));
    }
    let sources = Sources {
        checkpoints: options.words.iter().map(PathBuf::from).collect(),
        journals: options.all("journal").map(PathBuf::from).collect(),
        server_id: options.get("server-id").map(str::to_owned),
        case: None,
    };
    let (has_progress, mut next) = (options.has("progress"), 0);
    let contents = build(&sources, Path::new(output), |read_bytes, of_bytes| {
        if has_progress && read_bytes >= next {
            next = read_bytes + STEP_BYTES;
            eprintln!("{{\"read_bytes\": {read_bytes}, \"of_bytes\": {of_bytes}}}");
        }
    })?;
    contents.notes.iter().for_each(|note| eprintln!("p4warden-index: {note}"));
    let mut lines = Lines::new();
    lines.line(&head_json(&contents.head));
    lines.finish()
}

fn missing(what: &str) -> Trouble {
    Trouble::Usage(format!("{what} is missing"))
}
