use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::estimate::count::Table;
use crate::file::index::Index;
use crate::file::trees::IndexError;
use crate::subcommands::json_lines::{Lines, of_index, open_index};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead, stdin};

/// `p4warden-index count`: estimated numbers for paths in depot syntax, as JSON lines; `-` as the
/// only path reads the paths from standard input, one per line.
pub fn count(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let (file, paths) = options.file_and_rest()?;
    let (index, mut lines) = (open_index(file)?, Lines::default());
    for path in paths_or_input(paths)? {
        lines.line(&counts_of(&index, &path).map_err(|problem| of_index(file, &problem))?);
    }
    lines.finish()
}

/// `p4warden-index estimate`: at most how many are within a client's view, without a path in the
/// whole view.
/// The numbers are null if the client's view is unknown.
pub fn estimate(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &["client"])?;
    let (file, paths) = options.file_and_rest()?;
    let name = options.needed("client")?;
    let (index, mut lines) = (open_index(file)?, Lines::default());
    let paths = match paths {
        [] => vec![None],
        _ => paths_or_input(paths)?.into_iter().map(Some).collect(),
    };
    for path in paths {
        let line = counts_in_view(&index, name, path.as_deref());
        lines.line(&line.map_err(|problem| of_index(file, &problem))?);
    }
    lines.finish()
}

fn counts_of(index: &Index, path: &str) -> Result<Value, IndexError> {
    let files = index.count_path(Table::Files, path.as_bytes())?;
    let revisions = index.count_path(Table::Revisions, path.as_bytes())?;
    Ok(json!({"path": path, "files": files, "revisions": revisions}))
}

fn counts_in_view(index: &Index, name: &str, path: Option<&str>) -> Result<Value, IndexError> {
    let Some(client) = index.client(name.as_bytes())? else {
        return Ok(json!({"client": name, "path": path, "files": null, "revisions": null}));
    };
    let count =
        |table| index.count_in_view(table, name.as_bytes(), &client, path.map(str::as_bytes));
    let (files, revisions) = (count(Table::Files)?.at_most, count(Table::Revisions)?.at_most);
    Ok(json!({"client": name, "path": path, "files": files, "revisions": revisions}))
}

fn paths_or_input(paths: &[String]) -> Result<Vec<String>, Fault> {
    if paths != ["-"] {
        return Ok(paths.to_vec());
    }
    let lines = stdin().lock().lines().collect::<Result<_, _>>();
    lines.map_err(|error| Fault::File(format!("the standard input: {error}")))
}
