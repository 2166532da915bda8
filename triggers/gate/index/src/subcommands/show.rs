use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::file::client::Client;
use crate::file::directory_entry::DirectoryEntry;
use crate::file::head::Head;
use crate::file::tree::Tree;
use crate::file::trees::IndexError;
use crate::subcommands::json_lines::{Lines, of_index, open_index, text};
use serde_json::{Value, json};
use std::ffi::OsString;

/// `p4warden-index show`: source, settings and totals.
pub fn show(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let mut lines = Lines::default();
    lines.line(&head_json(&open_index(options.file_and_rest()?.0)?.head));
    lines.finish()
}

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

/// `p4warden-index clients`: every client at the checkpoint, as JSON lines; `owner` is empty for
/// one without.
pub fn clients(words: &[OsString]) -> Result<(), Fault> {
    each(
        words,
        |index| index.clients,
        |name, value| {
            let Client { totals: [files, revisions], have, owner, .. } = Client::read(value)?;
            Some(json!({
                "client": text(name),
                "files": files,
                "revisions": revisions,
                "have": have,
                "owner": text(&owner),
            }))
        },
    )
}

/// `p4warden-index places`: depots and their top-level directories, as JSON lines.
pub fn places(words: &[OsString]) -> Result<(), Fault> {
    each(
        words,
        |index| index.places,
        |path, value| {
            let entry = DirectoryEntry::read(value)?;
            let [files, revisions] = entry.counts;
            let mut line = json!({"path": text(path), "files": files, "revisions": revisions});
            if let Some((kind, map)) = entry.depot {
                let about = [("type".to_owned(), kind.into()), ("map".to_owned(), text(&map))];
                line.as_object_mut()?.extend(about);
            }
            Some(line)
        },
    )
}

fn each(
    words: &[OsString],
    tree: impl Fn(&Head) -> Tree,
    json_of: impl Fn(&[u8], &[u8]) -> Option<Value>,
) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let path = options.file_and_rest()?.0;
    let (index, mut lines, mut damaged) = (open_index(path)?, Lines::default(), false);
    let result = index.each(tree(&index.head), |key, value| match json_of(key, value) {
        Some(line) => lines.line(&line),
        None => damaged = true,
    });
    let result = if damaged { Err(IndexError::Damaged) } else { result };
    result.map_err(|problem| of_index(path, &problem))?;
    lines.finish()
}
