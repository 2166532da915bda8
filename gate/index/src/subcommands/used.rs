//! `p4warden-index used`: prints the directories that contain most of the files of a client and of
//! a user's clients.

use crate::base::options::Options;
use crate::base::order::folded;
use crate::base::trouble::Trouble;
use crate::estimate::count::Table;
use crate::file::index::Index;
use crate::file::trees::Damaged;
use crate::ranges::range::{Extent, Range};
use crate::subcommands::json_lines::{Lines, opened, text};
use crate::subcommands::span::{number, of_case, of_server, used};
use serde_json::{Value, json};
use std::ffi::OsString;

/// Runs `p4warden-index used`: prints as one JSON line the directories in depot syntax that contain
/// most of the files of `--client`, then those of the clients of `--user`. With `--at-most`,
/// directories with more files are left out.
pub fn run(words: &[OsString]) -> Result<(), Trouble> {
    let options = Options::read(words, &[], &["at-most", "case", "server-id", "user", "client"])?;
    let (file, _) = options.file_and_rest()?;
    let at_most = options.get("at-most").map(number).transpose()?;
    let index = of_server(opened(file)?, options.get("server-id"), file)?;
    let index = of_case(index, options.get("case"), file)?;
    let names = [options.get("client"), options.get("user")];
    let directories = used(&index, names).and_then(|all| fitting(&index, all, at_most));
    let directories = directories.map_err(|problem| Trouble::File(format!("{file}: {problem}")))?;
    let mut lines = Lines::new();
    lines.line(&json!({"used": directories.iter().map(|path| text(path)).collect::<Vec<Value>>()}));
    lines.finish()
}

/// Keeps of `directories` those that contain at most `at_most` files; all of them if there is no
/// limit.
fn fitting(
    index: &Index,
    mut directories: Vec<Vec<u8>>,
    at_most: Option<u64>,
) -> Result<Vec<Vec<u8>>, Damaged> {
    let Some(at_most) = at_most else { return Ok(directories) };
    let mut counts = Vec::new();
    for directory in &directories {
        let literal = folded(directory, index.folds());
        let range = Range { literal, extent: Extent::Below };
        counts.push(index.count(Table::Files, &range)?);
    }
    let mut counts = counts.into_iter();
    directories.retain(|_| counts.next().is_some_and(|files| files <= at_most));
    Ok(directories)
}
