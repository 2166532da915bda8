//! Clients that journals changed.
//!
//! The server writes a client's record at each use, so a record alone says little; a client counts
//! as saved when the time in it says so.

use crate::assemble::fresh::FreshFile;
use crate::assemble::rows::{CLIENT, Domain, Line};
use crate::base::order::folded;
use crate::estimate::count::Table as Counted;
use crate::estimate::view;
use crate::file::changed::Changed;
use crate::file::client::{Client, OfStream, ViewLine, Wide};
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::tree::{Tree, TreeWriter};
use crate::file::trees::Damaged;
use std::collections::BTreeMap;
use std::io;

/// The operations of transactions on one client.
#[derive(Debug, Default)]
pub struct Operations {
    /// The name as it was written.
    name: Vec<u8>,
    /// Its record: None where none was written; Some(None) where it was deleted.
    domain: Option<Option<Domain>>,
    /// The number of the transaction that gave it its stream, and of that which wrote its view.
    stream_at: u64,
    view_at: u64,
    /// Lines of its view by their numbers; None where they are gone, or exclude.
    lines: BTreeMap<u64, Option<ViewLine>>,
}

/// Everything that journals say of clients, by their names as they are compared.
#[derive(Debug, Default)]
pub struct Clients {
    folds: bool,
    found: BTreeMap<Vec<u8>, Operations>,
}

impl Clients {
    /// Begins without any.
    #[must_use]
    pub fn new(folds: bool) -> Self {
        Clients { folds, found: BTreeMap::new() }
    }

    /// Takes a record of `db.domain`; None for one that was deleted.
    pub fn take_domain(&mut self, name: &[u8], value: Option<Domain>, at: u64) {
        let operations = self.of(name);
        let old = operations.domain.take().flatten().map(|domain| domain.stream);
        if old.is_none() || old != value.as_ref().map(|domain| domain.stream.clone()) {
            operations.stream_at = at;
        }
        operations.domain = Some(value);
    }

    /// Takes a record of `db.view`, without its value for one that was deleted.
    pub fn take_line(&mut self, name: &[u8], number: u64, value: Option<&[u8]>, at: u64) {
        let line = value.and_then(Line::read).filter(Line::includes);
        let line = line.map(|line| {
            let (depot, client) = (line.depot.to_vec(), line.client.to_vec());
            ViewLine { number, depot, client }
        });
        let operations = self.of(name);
        operations.view_at = at;
        operations.lines.insert(number, line);
    }

    fn of(&mut self, name: &[u8]) -> &mut Operations {
        let operations = self.found.entry(folded(name, self.folds)).or_default();
        if operations.name.is_empty() {
            operations.name = name.to_vec();
        }
        operations
    }

    /// Writes the clients of an older delta and those that journals changed. `index` has the new
    /// delta's counts, by which views are counted.
    pub fn write(
        &self,
        index: &Index,
        old: Option<&Delta>,
        out: &mut FreshFile,
    ) -> Result<Tree, Damaged> {
        let mut rows: BTreeMap<Vec<u8>, (Vec<u8>, Changed)> = BTreeMap::new();
        if let Some(old) = old {
            old.each(old.head.clients, |name, value| {
                if let Some(changed) = Changed::read(value) {
                    rows.insert(folded(name, self.folds), (name.to_vec(), changed));
                }
            })?;
        }
        for (key, operations) in &self.found {
            let known = rows.remove(key).map(|(_, changed)| changed);
            if let Some(changed) = operations.applied(index, known)? {
                rows.insert(key.clone(), (operations.name.clone(), changed));
            }
        }
        written(rows.into_values(), out).map_err(Damaged::from)
    }
}

fn written(
    rows: impl Iterator<Item = (Vec<u8>, Changed)>,
    out: &mut FreshFile,
) -> io::Result<Tree> {
    let mut tree = TreeWriter::default();
    for (name, changed) in rows {
        tree.push(out, &name, &changed.bytes())?;
    }
    tree.finish(out)
}

impl Operations {
    /// The client after all operations; None where they say nothing new, or of no client.
    fn applied(&self, index: &Index, known: Option<Changed>) -> Result<Option<Changed>, Damaged> {
        let Some(mut changed) = self.before(index, known)? else {
            return Ok(None);
        };
        let is_switched = match &self.domain {
            Some(Some(domain)) if domain.kind == CLIENT => save(domain, &mut changed),
            None => false,
            Some(_) => return Ok(Some(Changed { client: None, is_known: false, ..changed })),
        };
        let has_view = !self.lines.is_empty();
        // The view is that of the other stream until the server makes it anew.
        changed.is_known = (changed.is_known || has_view)
            && (!is_switched || (has_view && self.view_at >= self.stream_at));
        let Some(client) = &mut changed.client else {
            return Ok(Some(changed));
        };
        if has_view {
            changed.view_at = self.view_at;
            change_view(client, &self.lines, index)?;
        }
        changed.is_known &= client.wide.as_ref().is_none_or(|wide| !wide.view.is_empty());
        Ok(Some(changed))
    }

    /// The client before the operations: of an older delta, of the checkpoint, or a new one.
    fn before(&self, index: &Index, known: Option<Changed>) -> Result<Option<Changed>, Damaged> {
        let is_put = matches!(&self.domain, Some(Some(domain)) if domain.kind == CLIENT);
        if let Some(known) = known {
            let client = known.client.or_else(|| is_put.then(new_client));
            return Ok(Some(Changed { client, ..known }));
        }
        let client = index.client_of_checkpoint(&self.name)?;
        let is_changed = client.as_ref().is_none_or(|client| self.is_change(client));
        // Labels have views as well.
        if (client.is_none() && !is_put) || !is_changed {
            return Ok(None);
        }
        let is_new = client.is_none();
        let client = client.or_else(|| Some(new_client()));
        Ok(Some(Changed { client, is_known: !is_new, ..Changed::default() }))
    }

    /// Whether the operations say more than that the client was used.
    fn is_change(&self, client: &Client) -> bool {
        let Some(Some(domain)) = &self.domain else {
            return true;
        };
        let stream = client.stream.as_ref().map(|stream| &stream.name[..]).unwrap_or_default();
        let roots = client.wide.as_ref().map(|wide| &wide.roots);
        !self.lines.is_empty()
            || domain.kind != CLIENT
            || domain.stream != stream
            || roots.is_some_and(|roots| !roots.iter().eq(domain.named_roots()))
    }
}

/// A client whose view is still to come.
fn new_client() -> Client {
    Client { wide: Some(Wide::default()), ..Client::default() }
}

/// Takes the record of a client; returns whether its stream is another than before.
fn save(domain: &Domain, changed: &mut Changed) -> bool {
    let client = changed.client.get_or_insert_with(new_client);
    changed.updated_s = domain.updated_s;
    if let Some(wide) = &mut client.wide {
        wide.roots = domain.named_roots().cloned().collect();
    }
    let name = &domain.stream;
    let old = client.stream.as_ref().map(|stream| &stream.name[..]).unwrap_or_default();
    let is_switched = old != &name[..];
    if is_switched {
        let used_s = domain.last_s();
        client.stream = (!name.is_empty()).then(|| OfStream { name: name.clone(), used_s });
    }
    is_switched
}

/// Puts lines into the view of a client, and counts it. The view of one with few files is not in
/// the index: its totals are added to what the lines span.
fn change_view(
    client: &mut Client,
    lines: &BTreeMap<u64, Option<ViewLine>>,
    index: &Index,
) -> Result<(), Damaged> {
    let unseen = if client.wide.is_some() { [0; 2] } else { client.totals };
    let wide = client.wide.get_or_insert_with(Wide::default);
    wide.view.retain(|line| !lines.contains_key(&line.number));
    wide.view.extend(lines.values().flatten().cloned());
    wide.view.sort_by_key(|line| line.number);
    let ranges = view::ranges(&wide.view, index.folds());
    for ((total, unseen), table) in
        client.totals.iter_mut().zip(unseen).zip([Counted::Files, Counted::Revisions])
    {
        *total = index.count_union(table, &ranges)?.saturating_add(unseen);
    }
    Ok(())
}
