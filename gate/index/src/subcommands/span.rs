//! `p4warden-index span`: prints the numbers of files and revisions that a view spans, and the
//! view's widest lines.

use crate::base::options::Options;
use crate::base::trouble::Trouble;
use crate::estimate::count::Table;
use crate::estimate::wide::WideLine;
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::trees::Damaged;
use crate::ranges::range::range;
use crate::subcommands::json_lines::{Lines, opened, text};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

/// Runs `p4warden-index span`: prints an estimate for a view as one JSON line. The depot sides of
/// the view's including lines are read from standard input, one per line. If the view spans more
/// than `--at-most` files, its widest lines are printed as well, each with narrower directories.
pub fn run(words: &[OsString]) -> Result<(), Trouble> {
    let options =
        Options::read(words, &[], &["at-most", "case", "delta", "server-id", "user", "client"])?;
    let (file, _) = options.file_and_rest()?;
    let at_most = options.get("at-most").map(number).transpose()?.unwrap_or(u64::MAX);
    let index = of_server(opened(file)?, options.get("server-id"), file)?;
    let index = of_case(with_delta(index, options.get("delta"))?, options.get("case"), file)?;
    let paths = input_paths()?;
    let names = [options.get("client"), options.get("user")];
    let line = spanned(&index, &paths, at_most, names);
    let mut lines = Lines::new();
    lines.line(&line.map_err(|problem| Trouble::File(format!("{file}: {problem}")))?);
    lines.finish()
}

fn spanned(
    index: &Index,
    paths: &[Vec<u8>],
    at_most: u64,
    names: [Option<&str>; 2],
) -> Result<Value, Damaged> {
    let ranges: Vec<_> = paths.iter().map(|path| range(path, index.folds())).collect();
    let files = index.count_union(Table::Files, &ranges)?;
    let revisions = index.count_union(Table::Revisions, &ranges)?;
    let mut wide = Vec::new();
    if files > at_most {
        wide = index.wide_lines(paths, at_most, &used(index, names)?)?;
    }
    let wide: Vec<Value> = wide.iter().map(json_of).collect();
    Ok(json!({"files": files, "revisions": revisions, "wide": wide}))
}

/// Depot directories that contain most of the files of the client `client`, followed by those that
/// contain most of the files of all clients of the user `user`.
pub(super) fn used(
    index: &Index,
    [client, user]: [Option<&str>; 2],
) -> Result<Vec<Vec<u8>>, Damaged> {
    let mut used = match client {
        Some(client) => index.synced_in_depot(client.as_bytes())?,
        None => Vec::new(),
    };
    if let Some(user) = user {
        used.extend(index.user_directories(user.as_bytes())?);
    }
    Ok(used)
}

fn json_of(wide: &WideLine) -> Value {
    let narrower = wide.narrower.iter().map(|(path, files)| json!([text(path), files]));
    json!({"line": wide.line, "files": wide.files, "narrower": narrower.collect::<Vec<_>>()})
}

/// Returns the checkpoint index; fails if it belongs to a server with another `server.id`. `file`
/// is the index file's name for the error.
pub(super) fn of_server(
    index: Index,
    server_id: Option<&str>,
    file: &str,
) -> Result<Index, Trouble> {
    if index.is_of(server_id) {
        return Ok(index);
    }
    let own = server_id.unwrap_or_default();
    Err(Trouble::File(format!("{file}: the server's id is {own}; this is another server's index")))
}

/// Adds the changes in a delta file in another directory (option `--delta`) to the checkpoint
/// index.
fn with_delta(index: Index, delta: Option<&str>) -> Result<Index, Trouble> {
    let Some(path) = delta else { return Ok(index) };
    let file = File::open(path).map_err(|error| Trouble::of_file(Path::new(path), &error))?;
    // A damaged delta is ignored, as the command trigger ignores it.
    Ok(index.with_delta(Delta::of_file(file).ok()))
}

/// The same index, with paths compared as on a case-sensitive (`sensitive`) or case-insensitive
/// (`folded`) server; fails if the checkpoint index is of a server with the other setting.
pub(super) fn of_case(index: Index, case: Option<&str>, file: &str) -> Result<Index, Trouble> {
    let folds = match case {
        None => return Ok(index),
        Some("sensitive") => false,
        Some("folded") => true,
        Some(other) => return Err(Trouble::Usage(format!("{other} is no case"))),
    };
    let fits = index.for_server(folds);
    fits.ok_or_else(|| {
        let own = index.head.case.name();
        Trouble::File(format!(
            "{file}: belongs to another server: its case handling is {own}, this server's is not"
        ))
    })
}

pub(super) fn number(text: &str) -> Result<u64, Trouble> {
    text.parse().map_err(|_| Trouble::Usage(format!("{text} is not a number")))
}

fn input_paths() -> Result<Vec<Vec<u8>>, Trouble> {
    let mut bytes = Vec::new();
    let result = stdin().lock().read_to_end(&mut bytes);
    result.map_err(|error| Trouble::File(format!("the standard input: {error}")))?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Ok(lines.map(<[u8]>::to_vec).collect())
}
