use crate::assemble::index_build::{BuiltIndex, Sources, build};
use crate::assemble::tables::KeptFiles;
use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::base::order::Case;
use crate::subcommands::json_lines::{Lines, text};
use crate::subcommands::record_lines::RecordLines;
use crate::subcommands::rightsize;
use crate::subcommands::show::head_json;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Between two reports of progress, of the files as stored.
const STEP_BYTES: u64 = 8 << 20;

/// `p4warden-index build`: prints the settings and totals of the index as one JSON line, or
/// with `--tables` the records as `RecordLines` does, and then the longest paths as
/// `["path", PATH, BYTES]`. With `--files` it then answers questions (`rightsize::run`).
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let with_value =
        ["output", "journal", "server-id", "tables", "case", "files", "since", "questions"];
    let options = Options::read(words, &["progress"], &with_value)?;
    let output = options.needed("output")?;
    if options.words.is_empty() {
        return Err(Fault::Usage("the checkpoint is missing".to_owned()));
    }
    let since_s = since_s(options.get("since"))?;
    let files_and_questions = match options.get("files") {
        Some(files) => Some((files, options.needed("questions")?)),
        None => None,
    };
    let sources = Sources {
        checkpoints: options.words.iter().map(PathBuf::from).collect(),
        journals: options.all("journal").map(PathBuf::from).collect(),
        server_id: options.get("server-id").map(str::to_owned),
        case: case(options.get("case"))?,
        files: files_and_questions.map(|_| KeptFiles { since_s }),
    };
    let built = match options.get("tables") {
        Some(names) => with_records(&sources, Path::new(output), names)?,
        None => with_progress(&sources, Path::new(output), options.has("progress"))?,
    };
    match files_and_questions {
        Some((files, questions)) => rightsize::run(built.contents, files, questions),
        None => Ok(()),
    }
}

fn with_progress(sources: &Sources, to: &Path, is_shown: bool) -> Result<BuiltIndex, Fault> {
    let mut next_bytes = 0;
    let built = build(sources, to, &mut |read_bytes, of_bytes| {
        if is_shown && read_bytes >= next_bytes {
            next_bytes = read_bytes + STEP_BYTES;
            eprintln!("{{\"read_bytes\": {read_bytes}, \"of_bytes\": {of_bytes}}}");
        }
    })?;
    let head = head_json(&built.head);
    print(built, std::iter::once(head))
}

fn with_records(sources: &Sources, to: &Path, names: &str) -> Result<BuiltIndex, Fault> {
    let mut records = RecordLines::of(names)?;
    let result = build(sources, to, &mut records);
    records.flush()?;
    let paths = records.longest.all();
    print(result?, paths.map(|(bytes, path)| json!(["path", text(path), bytes])))
}

fn print(built: BuiltIndex, values: impl Iterator<Item = Value>) -> Result<BuiltIndex, Fault> {
    built.notes.iter().for_each(|note| eprintln!("p4warden-index: {note}"));
    let mut lines = Lines::default();
    values.for_each(|value| lines.line(&value));
    lines.finish()?;
    Ok(built)
}

fn case(name: Option<&str>) -> Result<Option<Case>, Fault> {
    match name {
        None => Ok(None),
        Some("sensitive") => Ok(Some(Case::Sensitive)),
        Some("folded") => Ok(Some(Case::Folded)),
        Some(other) => {
            Err(Fault::Usage(format!("{other} is not a case setting; write sensitive or folded")))
        }
    }
}

fn since_s(text: Option<&str>) -> Result<Option<u64>, Fault> {
    let number = text.map(|text| text.parse());
    number.transpose().map_err(|_| Fault::Usage("--since is not a number of seconds".to_owned()))
}
