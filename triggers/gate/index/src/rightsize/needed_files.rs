use crate::assemble::follower::Follower;
use crate::assemble::recent_submits::RecentSubmits;
use crate::assemble::rows::{CLIENT, Domain, HAS_OWN_HAVE, Line, VIEW_TAIL, client_of};
use crate::base::numbers::{ORDERED_BYTES, from_ordered, ordered, take_number};
use crate::base::order::folded_key;
use crate::estimate::local_syntax::client_path;
use crate::ranges::range::{Extent, Range, range};
use crate::rightsize::client_view::ClientView;
use crate::rightsize::view_row::ViewRow;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

/// The clients for which narrower views are sought, and the files that they need.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// By name in lower case, each with the paths that it synced according to a server log, as the
    /// user wrote them, without revisions.
    pub clients: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
    /// In seconds since the Unix epoch: a file is needed if it is open, was synced or submitted
    /// since then, or was synced according to the log. None if all files are needed.
    pub since_s: Option<u64>,
}

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
    #[must_use]
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
        let Some(synced_ranges) = selection.clients.get(&domains.key().to_ascii_lowercase()) else {
            continue;
        };
        let mut rows = Vec::new();
        views.each_of(domains.order_key(), |_, value| {
            rows.extend(Line::read(value).map(|line| ViewRow {
                flag: line.flag,
                depot: line.depot.to_vec(),
                client: line.client.to_vec(),
            }));
        })?;
        clients.push(ClientNeeds {
            name: domains.key().to_vec(),
            view: ClientView::new(rows, folds),
            synced_ranges: synced_ranges
                .iter()
                .map(|path| synced_range(path, domains.key(), &domain.roots, folds))
                .collect(),
            has_own_have: domain.options & HAS_OWN_HAVE != 0,
            is_bound: !domain.server_id.is_empty(),
            ..ClientNeeds::default()
        });
    }
    Ok(clients)
}

/// A path on the client's machine becomes a range of client paths; if it is relative or outside the
/// client's roots, it may stand for any file, and the range contains all paths.
fn synced_range(path: &[u8], client: &[u8], roots: &[Vec<u8>], folds: bool) -> Range {
    if path.starts_with(b"//") {
        return range(path, folds);
    }
    let client_range = client_path(client, roots, path, None).map(|path| range(&path, folds));
    client_range.unwrap_or(Range { literal: b"//".to_vec(), extent: Extent::Below })
}

/// Of the selected clients.
pub struct Files<'r> {
    /// `db.have` and `db.working`, with client paths as keys, and times and depot paths as values.
    pub runs: [&'r [Run]; 2],
    /// None if no time was given.
    pub recent_submits: Option<RecentSubmits>,
    /// In seconds since the Unix epoch; None if all files are needed.
    pub since_s: Option<u64>,
}

/// Value for a file that is open or was synced recently (for any file if all are needed), and for a
/// depot path submitted recently; otherwise empty.
const IS_USED: &[u8] = b"1";

/// By client, depot path and client path. A depot path that the client submitted recently gets an
/// entry without client path, which precedes the entries of its files.
pub fn by_depot_path(
    files: Files<'_>,
    clients: &[ClientNeeds],
    folds: bool,
    mut to: Sorter,
) -> io::Result<Vec<Run>> {
    let names = clients.iter().map(|client| folded_key(&client.name, folds));
    let numbers: HashMap<Vec<u8>, u32> = names.zip(0..).collect();
    for runs in files.runs {
        let mut merge = Merge::new(runs, folds)?;
        while merge.advance()? {
            let mut depot = merge.value();
            let time_s = take_number(&mut depot).unwrap_or(0);
            let is_used = files.since_s.is_none_or(|since_s| time_s >= since_s);
            if let Some(number) = numbers.get(client_of(merge.order_key())) {
                let value = if is_used { IS_USED } else { b"" };
                to.push([&file_key(*number, depot), merge.key()], Some(value))?;
            }
        }
    }
    let of_lower: HashMap<Vec<u8>, u32> =
        numbers.into_iter().map(|(name, number)| (name.to_ascii_lowercase(), number)).collect();
    if let Some(recent_submits) = files.recent_submits {
        recent_submits.each(folds, |client, path| match of_lower.get(client) {
            Some(number) => to.push([&file_key(*number, path), b""], Some(IS_USED)),
            None => Ok(()),
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

    #[must_use]
    pub fn file(&self) -> Option<NeededFile<'_>> {
        NeededFile::read(self.merge.key())
    }

    #[must_use]
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
    #[must_use]
    pub fn read(key: &'k [u8]) -> Option<Self> {
        let (number, paths) = key.split_first_chunk()?;
        let end = memchr::memchr(0, paths)?;
        let (depot, client_path) = (paths.get(..end)?, paths.get(end + 1..)?);
        Some(NeededFile { number, depot, client_path })
    }

    #[must_use]
    pub fn client(&self) -> usize {
        from_ordered(self.number) as usize
    }
}
