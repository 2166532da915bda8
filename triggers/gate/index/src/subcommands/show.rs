use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::base::order::folded_key;
use crate::file::changed_client::ChangedClient;
use crate::file::client::Client;
use crate::file::head::Head;
use crate::file::place::Place;
use crate::file::trees::IndexError;
use crate::subcommands::json_lines::{Lines, open_index, text};
use crate::update::name_map::of_delta;
use serde_json::{Value, json};
use std::ffi::OsString;

/// `p4warden-index show`: source, settings and totals, and the time up to which changes are
/// included.
pub fn show(words: &[OsString]) -> Result<(), Fault> {
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
        "has_owners": head.has_owners,
        "has_stream_views": head.stream_views.is_some(),
    })
}

/// `p4warden-index clients`: every client at the checkpoint, as JSON lines.
pub fn clients(words: &[OsString]) -> Result<(), Fault> {
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

/// `p4warden-index owners`: the owners of the clients, as JSON lines, with the changes in the delta
/// file; null in an index of an earlier version.
pub fn owners(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let path = options.file_and_rest()?.0;
    let fault = |problem: IndexError| Fault::File(format!("{path}: {problem}"));
    let (index, mut lines, mut damaged) = (open_index(path)?, Lines::new(), false);
    let delta = index.delta.as_ref().map(|delta| (delta, delta.head.clients));
    let changed = of_delta(delta, index.folds(), ChangedClient::read).map_err(fault)?;
    let mut write = |name: &[u8], client: &Client| {
        let owner = client.owner.as_deref().map(text);
        lines.line(&json!({"client": text(name), "owner": owner}));
    };
    let of_checkpoint = |name: &[u8], value: &[u8]| {
        if changed.contains_key(&folded_key(name, index.folds())) {
            return;
        }
        match Client::read(value) {
            Some(client) => write(name, &client),
            None => damaged = true,
        }
    };
    index.each(index.head.clients, of_checkpoint).map_err(fault)?;
    if damaged {
        return Err(fault(IndexError::Damaged));
    }
    for (name, change) in changed.into_values() {
        if let Some(client) = change.client {
            write(&name, &client);
        }
    }
    lines.finish()
}

/// `p4warden-index places`: depots and their top-level directories, as JSON lines.
pub fn places(words: &[OsString]) -> Result<(), Fault> {
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
) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let path = options.file_and_rest()?.0;
    let fault = |problem: IndexError| Fault::File(format!("{path}: {problem}"));
    let (index, mut lines, mut damaged) = (open_index(path)?, Lines::new(), false);
    let result = index.each(tree(&index.head), |key, value| match json_of(key, value) {
        Some(line) => lines.line(&line),
        None => damaged = true,
    });
    result.map_err(fault)?;
    if damaged {
        return Err(fault(IndexError::Damaged));
    }
    lines.finish()
}
