use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::base::order::Case;
use crate::estimate::count::Table;
use crate::estimate::form::Names;
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::trees::IndexError;
use crate::ranges::range::range;
use crate::subcommands::json_lines::{Lines, open_index};
use serde_json::Value;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

/// `p4warden-index span`: estimated numbers of files and revisions that a view spans, as one JSON
/// line. The depot paths of the view's lines, except excluding lines, are read from standard input,
/// one per line. Above `--at-most` files, the JSON line also lists the view's widest lines.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options =
        Options::read(words, &[], &["at-most", "case", "delta", "server-id", "user", "client"])?;
    let (file, _) = options.file_and_rest()?;
    let at_most = options.get("at-most").map(number).transpose()?.unwrap_or(u64::MAX);
    let index = of_server(open_index(file)?, options.get("server-id"), file)?;
    let index = of_case(with_delta(index, options.get("delta"))?, options.get("case"), file)?;
    let paths = input_paths()?;
    let span = span_with_revisions(&index, &paths, at_most, names(&options));
    let mut lines = Lines::new();
    lines.line(&span.map_err(|problem| Fault::File(format!("{file}: {problem}")))?);
    lines.finish()
}

fn span_with_revisions(
    index: &Index,
    paths: &[Vec<u8>],
    at_most: u64,
    names: Names<'_>,
) -> Result<Value, IndexError> {
    let ranges: Vec<_> = paths.iter().map(|path| range(path, index.folds())).collect();
    let revisions = index.count_union(Table::Revisions, &ranges)?;
    let mut document = index.span(paths, at_most, names)?.document();
    if let Some(fields) = document.as_object_mut() {
        fields.insert("revisions".to_owned(), revisions.into());
    }
    Ok(document)
}

pub(super) fn names(options: &Options) -> Names<'_> {
    let name = |option| options.get(option).map(str::as_bytes);
    Names { client: name("client"), user: name("user") }
}

/// Fails if both IDs are known and differ.
pub(super) fn of_server(index: Index, server_id: Option<&str>, file: &str) -> Result<Index, Fault> {
    index.of_server(server_id).map_err(|problem| Fault::File(format!("{file}: {problem}")))
}

/// If the delta file is damaged or belongs to another index, none is used.
fn with_delta(index: Index, delta: Option<&str>) -> Result<Index, Fault> {
    let Some(path) = delta else { return Ok(index) };
    let file = File::open(path).map_err(|error| Fault::of_file(Path::new(path), &error))?;
    // The gate does the same in its command triggers.
    Ok(index.with_delta(Delta::of_file(file).ok()))
}

/// Fails if the index is of a server with the other setting.
pub(super) fn of_case(index: Index, case: Option<&str>, file: &str) -> Result<Index, Fault> {
    let Some(case) = self::case(case)? else { return Ok(index) };
    index.of_case(case.folds()).map_err(|problem| Fault::File(format!("{file}: {problem}")))
}

/// Parses the value of the option `--case`.
pub(super) fn case(name: Option<&str>) -> Result<Option<Case>, Fault> {
    match name {
        None => Ok(None),
        Some("sensitive") => Ok(Some(Case::Sensitive)),
        Some("folded") => Ok(Some(Case::Folded)),
        Some(other) => {
            Err(Fault::Usage(format!("{other} is not a case setting; write sensitive or folded")))
        }
    }
}

pub(super) fn number(text: &str) -> Result<u64, Fault> {
    text.parse().map_err(|_| Fault::Usage(format!("{text} is not a number")))
}

fn input_paths() -> Result<Vec<Vec<u8>>, Fault> {
    let mut bytes = Vec::new();
    let result = stdin().lock().read_to_end(&mut bytes);
    result.map_err(|error| Fault::File(format!("the standard input: {error}")))?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}
