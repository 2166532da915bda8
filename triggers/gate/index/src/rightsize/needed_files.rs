//! Determines the clients for which narrower views are sought, and the files that each client
//! needs.

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
use std::collections::{BTreeMap, HashMap};
use std::io;

/// The clients for which `p4warden-index rightsize` seeks narrower views, and the criterion by
/// which their files are needed.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The clients, by name in lower case, each with the paths that it synced according to a server
    /// log, as the user wrote them, without revisions.
    pub clients: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
    /// Time in seconds since the Unix epoch: a file is needed if it is open, was synced or
    /// submitted since then, or was synced according to the log. None if all files are needed.
    pub since_s: Option<u64>,
}

/// A client for which a narrower view is sought, with the numbers of its files.
#[derive(Clone, Debug, Default)]
pub struct ClientNeeds {
    /// Name of the client for which a narrower view is sought.
    pub name: Vec<u8>,
    /// The client's current view with all of its lines, also exclusions and lines that are internal
    /// to the server.
    pub view: ClientView,
    /// Number of needed files that the current view maps to the client paths at which the client
    /// has them.
    pub needed_count: u64,
    /// Number of files that the client has, at the client paths of its current view, without
    /// needing them.
    pub unused_count: u64,
    /// The ranges of depot paths or client paths that the client synced according to a log of p4d.
    pub synced_ranges: Vec<Range>,
    /// Number of files that the client has at other client paths than its current view maps them
    /// to.
    pub elsewhere_count: u64,
    /// Whether the client is readonly or partitioned, so that no checkpoint contains its `db.have`
    /// records.
    pub has_own_have: bool,
    /// Whether the client specification binds the client to one server (field `ServerID`).
    pub is_bound: bool,
}

impl ClientNeeds {
    /// Whether the client's `db.have` records may be missing in this checkpoint: the client is
    /// readonly or partitioned, or it is bound to a server and has neither synced nor opened files
    /// in the checkpoint.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        self.has_own_have
            || (self.is_bound && self.needed_count + self.unused_count + self.elsewhere_count == 0)
    }
}

/// Looks up the requested clients in the sorted records of `db.domain` and `db.view`; returns those
/// found, in the order of `db.domain`.
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

/// The path range for a path that a client synced according to a log. A path on the client's
/// machine becomes a range of client paths; if it is relative or outside the client's roots, it may
/// stand for any file, and the range contains all paths.
fn synced_range(path: &[u8], client: &[u8], roots: &[Vec<u8>], folds: bool) -> Range {
    if path.starts_with(b"//") {
        return range(path, folds);
    }
    let client_range = client_path(client, roots, path, None).map(|path| range(&path, folds));
    client_range.unwrap_or(Range { literal: b"//".to_vec(), extent: Extent::Below })
}

/// The synced and open files of the selected clients, and the revisions that they submitted
/// recently.
pub struct Files<'r> {
    /// The files that the clients have synced (`db.have`), and the files that they have open
    /// (`db.working`), as sorted runs with client paths as keys, and times and depot paths as
    /// values.
    pub runs: [&'r [Run]; 2],
    /// Revisions that the selected clients submitted since `since_s`; None if no such time was
    /// given.
    pub recent_submits: Option<RecentSubmits>,
    /// Time in seconds since the Unix epoch; open files, and files synced since this time, are
    /// marked as needed. None if all files are needed.
    pub since_s: Option<u64>,
}

/// Value in the sorted runs for a file that is open or was synced recently (for any file if all are
/// needed), and for a depot path submitted recently. Other entries have an empty value.
const IS_USED: &[u8] = b"1";

/// Sorts the files of the selected clients by client, depot path and client path. A depot path that
/// the client submitted recently gets an entry without client path, which precedes the entries of
/// its files.
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

/// Encodes the part of a file's sort key before the client path: client number, depot path and NUL.
fn file_key(client: u32, depot: &[u8]) -> Vec<u8> {
    [&ordered(client)[..], depot, b"\0"].concat()
}

/// Iterator over the synced and opened files of all selected clients, in the runs written by
/// `by_depot_path`.
pub struct NeededFiles {
    merge: Merge,
    folds: bool,
    /// Sort key of the last entry met without client path, which stands for a depot path that its
    /// client submitted recently; empty if none was met.
    submitted_path: Vec<u8>,
}

impl NeededFiles {
    /// Creates the iterator over the files in the sorted runs that `by_depot_path` wrote.
    pub fn new(runs: &[Run], folds: bool) -> io::Result<Self> {
        Ok(NeededFiles { merge: Merge::new(runs, folds)?, folds, submitted_path: Vec::new() })
    }

    /// Advances the iterator to the next synced or opened file; returns false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        while self.merge.advance()? {
            if !self.merge.key().ends_with(b"\0") {
                return Ok(true);
            }
            self.submitted_path = self.merge.order_key().to_vec();
        }
        Ok(false)
    }

    /// The synced or opened file at the iterator's position; None if its key is invalid.
    #[must_use]
    pub fn file(&self) -> Option<NeededFile<'_>> {
        NeededFile::read(self.merge.key())
    }

    /// Whether `client` needs the file at the iterator's position: all files are needed, or this
    /// one is open, was synced or submitted recently, or was synced according to the log.
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

/// A file that a selected client has synced or opened, parsed from its sort key.
#[derive(Clone, Copy, Debug)]
pub struct NeededFile<'k> {
    /// Index of the file's client in the list of selected clients, as encoded in the sort key.
    pub number: &'k [u8; ORDERED_BYTES],
    /// Path of the synced or opened file in depot syntax.
    pub depot: &'k [u8],
    /// Path of the synced or opened file in client syntax.
    pub client_path: &'k [u8],
}

impl<'k> NeededFile<'k> {
    /// Parses the sort key of a file that `by_depot_path` wrote; None if the key is invalid.
    #[must_use]
    pub fn read(key: &'k [u8]) -> Option<Self> {
        let (number, paths) = key.split_first_chunk()?;
        let end = memchr::memchr(0, paths)?;
        let (depot, client_path) = (paths.get(..end)?, paths.get(end + 1..)?);
        Some(NeededFile { number, depot, client_path })
    }

    /// Index of the file's client in the list of selected clients.
    #[must_use]
    pub fn client(&self) -> usize {
        from_ordered(self.number) as usize
    }
}
