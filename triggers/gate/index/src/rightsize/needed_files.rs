use crate::assemble::follower::Follower;
use crate::assemble::rows::{
    CLIENT, Domain, HAS_OWN_HAVE, VIEW_TAIL, client_of, file_read, view_line,
};
use crate::assemble::tables::Tables;
use crate::base::numbers::{ORDERED_BYTES, from_ordered, ordered};
use crate::base::order::{Case, folded_key};
use crate::estimate::client_view::ClientView;
use crate::estimate::local_syntax::ClientRoots;
use crate::ranges::range::{Range, range};
use crate::rightsize::recent_submits;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

/// The clients for which narrower views are sought, by name as the server compares names, each with
/// the paths that it synced according to a server log, as the user wrote them, without revisions.
pub type Selection = BTreeMap<Vec<u8>, Vec<Vec<u8>>>;

#[derive(Clone, Debug, Default)]
pub struct ClientNeeds {
    pub name: Vec<u8>,
    pub view: ClientView,
    /// By which its needed files are mapped.
    pub used_rows: BTreeSet<usize>,
    /// Those that the current view maps, also to other client paths than the client's.
    pub needed_count: u64,
    /// Likewise, but not needed.
    pub unused_count: u64,
    /// Of depot paths or client paths, according to a log of p4d.
    pub synced_ranges: Vec<Range>,
    /// Needed files that the current view maps to other client paths than the client's.
    pub moved_count: u64,
    /// Files that the current view does not map: the next sync removes them.
    pub outside_count: u64,
    /// Readonly or partitioned: no checkpoint contains its `db.have` records.
    pub has_own_have: bool,
    /// To one server (field `ServerID`).
    pub is_bound: bool,
}

impl ClientNeeds {
    /// The client's `db.have` records may be missing in this checkpoint.
    pub fn is_elsewhere(&self) -> bool {
        self.has_own_have
            || (self.is_bound && self.needed_count + self.unused_count + self.outside_count == 0)
    }
}

/// In the order of `db.domain`.
pub fn selected_clients(
    domains: &[Run],
    views: &[Run],
    selection: &Selection,
    folds: bool,
) -> io::Result<Vec<ClientNeeds>> {
    let mut domains = Merge::new(domains, folds)?;
    let mut views = Follower::new(views, folds, VIEW_TAIL)?;
    let mut clients = Vec::new();
    while domains.advance()? {
        let domain = Domain::read(domains.value()).filter(|one| one.kind == CLIENT);
        let Some(domain) = domain else {
            continue;
        };
        let Some(synced_ranges) = selection.get(domains.order_key()) else {
            continue;
        };
        let roots = ClientRoots::new(&domain.roots, None);
        let mut rows = Vec::new();
        views.each_of(domains.order_key(), |key, value| rows.extend(view_line(key, value)))?;
        clients.push(ClientNeeds {
            name: domains.key().to_vec(),
            view: ClientView::new(rows, folds),
            synced_ranges: synced_ranges
                .iter()
                .map(|path| synced_range(path, domains.key(), &roots, folds))
                .collect(),
            has_own_have: domain.options & HAS_OWN_HAVE != 0,
            is_bound: !domain.server_id.is_empty(),
            ..ClientNeeds::default()
        });
    }
    Ok(clients)
}

/// A path on the client's machine becomes a range of client paths; if it is relative or outside the
/// client's roots, or these lie within one another, it may stand for any file, and the range contains
/// all paths.
fn synced_range(path: &[u8], client: &[u8], roots: &ClientRoots, folds: bool) -> Range {
    if path.starts_with(b"//") {
        return range(path, folds);
    }
    let path = (roots.orders() == 1).then(|| roots.client_path(client, path, 0)).flatten();
    range(path.as_deref().unwrap_or(b"//..."), folds)
}

/// Value for a file that is open or was synced recently (for any file if all are needed), and for a
/// depot path submitted recently; otherwise empty.
const IS_USED: &[u8] = b"1";

/// By client, depot path and client path. A depot path that the client submitted recently gets an
/// entry without client path, which precedes the entries of its files.
pub fn by_depot_path(
    tables: &mut Tables,
    clients: &[ClientNeeds],
    case: Case,
    mut to: Sorter,
) -> io::Result<Vec<Run>> {
    let folds = case.folds();
    let names = clients.iter().map(|client| folded_key(&client.name, folds));
    let numbers: HashMap<Vec<u8>, u32> = names.zip(0..).collect();
    for runs in [tables.have.runs()?, tables.open_files.runs()?] {
        let mut merge = Merge::new(&runs, folds)?;
        while merge.advance()? {
            let Some(number) = numbers.get(client_of(merge.order_key())) else { continue };
            if let Some((is_used, depot)) = file_read(merge.value(), merge.key()) {
                let value = if is_used { IS_USED } else { b"" };
                to.push([&file_key(*number, &depot), merge.key()], Some(value))?;
            }
        }
    }
    if let Some(since_s) = tables.files.and_then(|files| files.since_s) {
        // Unless the server is known to tell case apart, a changelist names each of such names.
        let key = |name: &[u8]| folded_key(name, case != Case::Sensitive);
        let mut of_names: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
        clients.iter().zip(0..).for_each(|(client, number)| {
            of_names.entry(key(&client.name)).or_default().push(number);
        });
        let named = |name: &[u8]| of_names.get(&key(name)).map(Vec::as_slice);
        recent_submits::each(tables, since_s, named, |numbers, path| {
            numbers
                .iter()
                .try_for_each(|number| to.push([&file_key(*number, path), b""], Some(IS_USED)))
        })?;
    }
    to.into_runs()
}

fn file_key(client: u32, depot: &[u8]) -> Vec<u8> {
    [&ordered(client)[..], depot, b"\0"].concat()
}

pub struct NeededFiles {
    merge: Merge,
    folds: bool,
    /// Key of the last entry without client path; empty if none was met.
    submitted_path: Vec<u8>,
}

impl NeededFiles {
    pub fn new(runs: &[Run], folds: bool) -> io::Result<Self> {
        Ok(NeededFiles { merge: Merge::new(runs, folds)?, folds, submitted_path: Vec::new() })
    }

    pub fn advance(&mut self) -> io::Result<bool> {
        while self.merge.advance()? {
            if !self.merge.key().ends_with(b"\0") {
                return Ok(true);
            }
            self.submitted_path = self.merge.order_key().to_vec();
        }
        Ok(false)
    }

    pub fn file(&self) -> Option<NeededFile<'_>> {
        NeededFile::read(self.merge.key())
    }

    pub fn is_used(&self, client: &ClientNeeds) -> bool {
        let is_submitted = || {
            !self.submitted_path.is_empty()
                && self.merge.order_key().starts_with(&self.submitted_path)
        };
        self.merge.value() == IS_USED || is_submitted() || self.is_synced(&client.synced_ranges)
    }

    fn is_synced(&self, synced: &[Range]) -> bool {
        if synced.is_empty() {
            return false;
        }
        let Some(file) = self.file() else { return false };
        let paths = [file.depot, file.client_path].map(|path| folded_key(path, self.folds));
        synced.iter().any(|range| paths.iter().any(|path| range.has(path)))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct NeededFile<'k> {
    /// Index of the client in the list of selected clients, as encoded in the sort key.
    pub number: &'k [u8; ORDERED_BYTES],
    pub depot: &'k [u8],
    pub client_path: &'k [u8],
}

impl<'k> NeededFile<'k> {
    pub fn read(key: &'k [u8]) -> Option<Self> {
        let (number, paths) = key.split_first_chunk()?;
        let end = memchr::memchr(0, paths)?;
        let (depot, client_path) = (paths.get(..end)?, paths.get(end + 1..)?);
        Some(NeededFile { number, depot, client_path })
    }

    pub fn client(&self) -> usize {
        from_ordered(self.number) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_roots_within_one_another_may_stand_for_any_file() {
        let of = |roots: [&str; 2]| {
            let roots = ClientRoots::new(&roots.map(|root| root.as_bytes().to_vec()), None);
            synced_range(b"/home/ws/lib/...", b"ws", &roots, false).literal
        };
        assert_eq!(of(["/home/ws", r"C:\ws"]), b"//ws/lib/");
        assert_eq!(of(["/home/ws", "/home"]), b"//");
    }
}
