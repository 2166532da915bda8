//! `p4warden-index show`, `clients` and `places`: print the head of a checkpoint index, its
//! clients, or its depots and top-level directories as JSON.

use crate::base::options::Options;
use crate::base::trouble::Trouble;
use crate::file::client::Client;
use crate::file::head::Head;
use crate::file::place::Place;
use crate::file::trees::IndexError;
use crate::subcommands::json_lines::{Lines, open_index, text};
use serde_json::{Value, json};
use std::ffi::OsString;

/// Runs `p4warden-index show`: prints the source, settings and totals of a checkpoint index, and
/// the time up to which it and its delta file include changes, as one JSON line.
pub fn show(words: &[OsString]) -> Result<(), Trouble> {
    let options = Options::read(words, &[], &[])?;
    let mut lines = Lines::new();
    let index = open_index(options.file_and_rest()?.0)?;
    let mut line = head_json(&index.head);
    if let Some(object) = line.as_object_mut() {
        object.insert("known_to_s".to_owned(), index.known_to_s().into());
    }
    lines.line(&line);
    lines.finish()
}

/// The head of a checkpoint index as JSON: source, settings and totals.
#[must_use]
pub fn head_json(head: &Head) -> Value {
    json!({
        "format": 1,
        "step": head.step,
        "server_id": head.server_id.as_deref().map(text),
        "case": head.case.name(),
        "change": head.change,
        "time_s": head.time_s,
        "files": head.totals[0],
        "revisions": head.totals[1],
        "clients": head.clients.entries,
        "changelist_records": head.changes.map(|changes| changes.records),
    })
}

/// Runs `p4warden-index clients`: prints every client at the checkpoint with the numbers of files
/// and revisions in its view, and of its synced files, as JSON lines.
pub fn clients(words: &[OsString]) -> Result<(), Trouble> {
    each(
        words,
        |index| index.clients,
        |name, value| {
            let client = Client::read(value)?;
            let [files, revisions] = client.totals;
            let have = client.have;
            Some(
                json!({"client": text(name), "files": files, "revisions": revisions, "have": have}),
            )
        },
    )
}

/// Runs `p4warden-index places`: prints the depots and their top-level directories, with their
/// numbers of files and revisions, as JSON lines; for a depot also its type and map.
pub fn places(words: &[OsString]) -> Result<(), Trouble> {
    each(
        words,
        |index| index.places,
        |path, value| {
            let place = Place::read(value)?;
            let [files, revisions] = place.counts;
            let mut line = json!({"path": text(path), "files": files, "revisions": revisions});
            if let Some((kind, map)) = place.depot {
                let about = [("type".to_owned(), kind.into()), ("map".to_owned(), text(&map))];
                line.as_object_mut()?.extend(about);
            }
            Some(line)
        },
    )
}

fn each(
    words: &[OsString],
    tree: impl Fn(&Head) -> crate::file::tree::Tree,
    json_of: impl Fn(&[u8], &[u8]) -> Option<Value>,
) -> Result<(), Trouble> {
    let options = Options::read(words, &[], &[])?;
    let path = options.file_and_rest()?.0;
    let trouble = |problem: IndexError| Trouble::File(format!("{path}: {problem}"));
    let (index, mut lines, mut damaged) = (open_index(path)?, Lines::new(), false);
    let result = index.each(tree(&index.head), |key, value| match json_of(key, value) {
        Some(line) => lines.line(&line),
        None => damaged = true,
    });
    result.map_err(trouble)?;
    if damaged {
        return Err(trouble(IndexError::Damaged));
    }
    lines.finish()
}
