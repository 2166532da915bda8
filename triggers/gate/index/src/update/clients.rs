//! The server writes a client's `db.domain` record at each use of the client, so a record alone
//! does not show that the client was saved; a client of the checkpoint counts as changed if it was
//! deleted or unloaded, if records of its view lines were written or deleted, or if its stream, owner
//! or roots differ.

use crate::assemble::rows::{CLIENT, Domain, Line};
use crate::assemble::unfinished_file::FileOutput;
use crate::estimate::count::Table as CountTable;
use crate::file::changed_client::ChangedClient;
use crate::file::client::{Client, ClientStream, CountTime, ViewLine};
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::tree::Tree;
use crate::file::trees::IndexError;
use crate::update::name_map::{self, NameMap, row_of};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Operations {
    /// None if no journal wrote one, Some(None) if it was deleted.
    domain: Option<Option<Domain>>,
    /// Number of the journal transaction since which the client has its present stream. After a
    /// switch to another stream, a view last changed before the switch is that of the previous
    /// stream.
    stream_transaction: u64,
    view_transaction: u64,
    /// By line number; None for a line that was deleted or excludes files.
    lines: BTreeMap<u64, Option<ViewLine>>,
}

/// Also of other specifications, such as labels, which `write` leaves out.
#[derive(Debug, Default)]
pub struct Clients {
    folds: bool,
    operations_by_name: NameMap<Operations>,
}

impl Clients {
    #[must_use]
    pub fn new(folds: bool) -> Self {
        Clients { folds, operations_by_name: NameMap::new() }
    }

    /// `at` is the number of the transaction; a value of None means that the record was deleted.
    pub fn take_domain(&mut self, name: &[u8], value: Option<Domain>, at: u64) {
        let operations = self.operations_of(name);
        let old = operations.domain.take().flatten().map(|domain| domain.stream);
        if old.is_none() || old != value.as_ref().map(|domain| domain.stream.clone()) {
            operations.stream_transaction = at;
        }
        operations.domain = Some(value);
    }

    /// `at` is the number of the transaction; a value of None means that the line was deleted.
    pub fn take_line(&mut self, name: &[u8], number: u64, value: Option<&[u8]>, at: u64) {
        let line = value.and_then(Line::read).filter(Line::includes);
        let line = line.map(|line| {
            let (depot, client) = (line.depot.to_vec(), line.client.to_vec());
            ViewLine { number, depot, client }
        });
        let operations = self.operations_of(name);
        operations.view_transaction = at;
        operations.lines.insert(number, line);
    }

    fn operations_of(&mut self, name: &[u8]) -> &mut Operations {
        row_of(&mut self.operations_by_name, name, self.folds)
    }

    /// `index` has to include the new delta file's counts. Without operations on files or revisions
    /// (`has_file_operations`) only clients with records in the journals are counted again.
    pub fn write(
        &self,
        index: &Index,
        old: Option<&Delta>,
        has_file_operations: bool,
        out: &mut FileOutput,
    ) -> Result<Tree, IndexError> {
        let old = old.map(|old| (old, old.head.clients));
        let mut rows = name_map::of_delta(old, self.folds, ChangedClient::read)?;
        for (key, (name, operations)) in &self.operations_by_name {
            let previous = rows.remove(key).map(|(_, change)| change);
            if let Some(change) = operations.state_after(index, name, previous)? {
                rows.insert(key.clone(), (name.clone(), change));
            }
        }
        for (key, (name, change)) in &mut rows {
            if has_file_operations || self.operations_by_name.contains_key(key) {
                count(change, name, index)?;
            }
        }
        Ok(name_map::write(rows, ChangedClient::bytes, out)?)
    }
}

impl Operations {
    /// None if the delta file needs no entry, because nothing changed its view, stream, owner, roots
    /// or existence, or it is no client.
    fn state_after(
        &self,
        index: &Index,
        name: &[u8],
        previous: Option<ChangedClient>,
    ) -> Result<Option<ChangedClient>, IndexError> {
        let Some(mut change) = self.before(index, name, previous)? else {
            return Ok(None);
        };
        let is_switched = match &self.domain {
            Some(Some(domain)) if domain.kind == CLIENT => save(domain, &mut change),
            None => false,
            Some(_) => return Ok(Some(ChangedClient { client: None, is_known: false, ..change })),
        };
        let has_view = !self.lines.is_empty();
        // Until the server regenerates the view.
        change.is_known = (change.is_known || has_view)
            && (!is_switched || (has_view && self.view_transaction >= self.stream_transaction));
        let Some(client) = &mut change.client else {
            return Ok(Some(change));
        };
        if has_view {
            change.view_at = self.view_transaction;
            change_view(&mut client.mapping.view, &self.lines);
        }
        change.is_known &= !client.mapping.view.is_empty();
        Ok(Some(change))
    }

    /// None if the delta file needs no entry for the client.
    fn before(
        &self,
        index: &Index,
        name: &[u8],
        previous: Option<ChangedClient>,
    ) -> Result<Option<ChangedClient>, IndexError> {
        let is_put = matches!(&self.domain, Some(Some(domain)) if domain.kind == CLIENT);
        if let Some(previous) = previous {
            let client = previous.client.or_else(|| is_put.then(Client::default));
            return Ok(Some(ChangedClient { client, ..previous }));
        }
        let client = index.client_of_checkpoint(name)?;
        let is_changed = client.as_ref().is_none_or(|client| self.is_change(client));
        // Labels have views as well, so a `db.view` record does not prove that a client has this
        // name.
        if (client.is_none() && !is_put) || !is_changed {
            return Ok(None);
        }
        let is_new = client.is_none();
        let client = client.or_else(|| Some(Client::default()));
        Ok(Some(ChangedClient { client, is_known: !is_new, ..ChangedClient::default() }))
    }

    /// Not only of other fields, such as the time of the last use.
    fn is_change(&self, client: &Client) -> bool {
        let Some(Some(domain)) = &self.domain else {
            return true;
        };
        let stream = client.stream.as_ref().map(|stream| &stream.name[..]).unwrap_or_default();
        !self.lines.is_empty()
            || domain.kind != CLIENT
            || domain.stream != stream
            || client.owner.as_ref().is_some_and(|owner| *owner != domain.owner)
            || !client.mapping.roots.iter().eq(domain.named_roots())
    }
}

/// Returns whether the client changed to another stream.
fn save(domain: &Domain, change: &mut ChangedClient) -> bool {
    let client = change.client.get_or_insert_with(Client::default);
    change.updated_s = domain.updated_s;
    client.owner = Some(domain.owner.clone());
    client.mapping.roots = domain.named_roots().cloned().collect();
    let name = &domain.stream;
    let old = client.stream.as_ref().map(|stream| &stream.name[..]).unwrap_or_default();
    let is_switched = old != &name[..];
    if is_switched {
        let used_s = domain.last_s();
        client.stream = (!name.is_empty()).then(|| ClientStream { name: name.clone(), used_s });
    }
    is_switched
}

fn change_view(view: &mut Vec<ViewLine>, lines: &BTreeMap<u64, Option<ViewLine>>) {
    view.retain(|line| !lines.contains_key(&line.number));
    view.extend(lines.values().flatten().cloned());
    view.sort_by_key(|line| line.number);
}

/// To the exact totals of a view that is still the checkpoint's, only the later changes are added.
fn count(change: &mut ChangedClient, name: &[u8], index: &Index) -> Result<(), IndexError> {
    let Some(client) = change.client.as_mut().filter(|_| change.is_known) else {
        return Ok(());
    };
    let of_checkpoint = if change.view_at == 0 { index.client_of_checkpoint(name)? } else { None };
    let counted =
        of_checkpoint.unwrap_or_else(|| Client { count_time: CountTime::Never, ..client.clone() });
    for (total, table) in client.totals.iter_mut().zip([CountTable::Files, CountTable::Revisions]) {
        *total = index.count_in_view(table, name, &counted, None)?.likely;
    }
    Ok(())
}
