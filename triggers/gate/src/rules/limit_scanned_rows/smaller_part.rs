//! Proposal of a smaller part of a file argument that would read too many records: a directory that
//! the client has files from, otherwise one that the user's clients have files from, otherwise
//! another one.
//!
//! Each proposal lies within the argument, is estimated like an argument, and names a file of the
//! client's view.

use crate::base::patterns::is_same;
use crate::proposals::line::{Demand, Line};
use crate::rules::limit_scanned_rows::argument::{KnownClient, Scan, Syntax};
use crate::rules::limit_scanned_rows::mapped_file::has_mapped_file;
use p4warden_index::base::order::{behind, folded_key};
use p4warden_index::estimate::count::Table;
use p4warden_index::ranges::range::{range, split};
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// Paths above which a part is sought, for each line of a view.
const MAX_SAMPLES: usize = 64;
/// Parts that are small enough and yet not accepted.
const MAX_TRIED: u8 = 8;

/// The search of a part of a file argument that reads at most `limit` records.
pub struct Search<'s, 'a> {
    scan: &'s Scan<'a>,
    argument: Cow<'s, [u8]>,
    /// Of an argument in client syntax.
    client: Option<Rc<KnownClient>>,
    limit: u64,
    accepts: &'s dyn Fn(&[u8]) -> bool,
    tried: Cell<u8>,
}

/// A path, and at most how many records it reads.
type Part = (Vec<u8>, u64);

impl<'s, 'a> Search<'s, 'a> {
    /// Without an argument (None) the command reads the whole client, and a part of the client's files
    /// is sought. None for an argument that the index cannot place.
    pub fn of(
        scan: &'s Scan<'a>,
        argument: Option<&'s [u8]>,
        limit: u64,
        accepts: &'s dyn Fn(&[u8]) -> bool,
    ) -> Option<Self> {
        let (argument, client) = match argument.map(|path| scan.syntax_of(path)) {
            Some(Some(Syntax::Depot(path))) => (Cow::Borrowed(path), None),
            Some(Some(Syntax::Client(name, path))) => (path, Some(scan.client(name)?)),
            Some(None) => return None,
            None => {
                let name = scan.event.client?;
                ([b"//", name, b"/..."].concat().into(), Some(scan.client(name)?))
            }
        };
        Some(Search { scan, argument, client, limit, accepts, tried: Cell::new(0) })
    }

    pub fn smaller_part(&self) -> Option<Part> {
        match &self.client {
            Some(client) => self.in_client(client),
            None => self.in_depot(),
        }
    }

    fn in_depot(&self) -> Option<Part> {
        let (scan, index) = (self.scan, self.scan.index);
        let own = scan.event.client.and_then(|name| index.synced_in_depot(name).ok());
        let in_use = own.unwrap_or_default().into_iter().chain(self.of_user());
        in_use.into_iter().find_map(|directory| self.fitting(&directory)).or_else(|| {
            let of_view = || {
                let (client, path) = scan.through_view(&self.argument)?;
                scan.ranges_of(&client, &path)
            };
            let all = (!scan.access.goes_by_view).then(|| range(&self.argument, index.folds()));
            let ranges = all.map_or_else(|| of_view().unwrap_or_default(), |all| vec![all]);
            ranges.iter().find_map(|one| self.below(&one.literal, &one.literal))
        })
    }

    fn in_client(&self, client: &KnownClient) -> Option<Part> {
        let (view, folds) = (&client.entry.mapping.view, self.scan.index.folds());
        let by_use = client.entry.synced_directories.iter().find_map(|one| self.fitting(one));
        let of_user = || {
            self.of_user().iter().find_map(|directory| {
                view.iter().find_map(|line| {
                    let sides = (&*line.depot, &*line.client);
                    self.fitting(&common_starts(sides, directory, folds)?.1)
                })
            })
        };
        by_use.or_else(of_user).or_else(|| {
            view.iter().find_map(|line| {
                let sides = (&*line.client, &*line.depot);
                let (place, depot) = common_starts(sides, split(&self.argument).0, folds)?;
                self.below(&depot, &place)
            })
        })
    }

    fn of_user(&self) -> Vec<Vec<u8>> {
        let of_user = |user| self.scan.index.user_directories(user).ok();
        self.scan.event.user.and_then(of_user).unwrap_or_default()
    }

    /// All below a depot path, or a directory of it above one of the samples. `place` stands in the
    /// argument for the depot path.
    fn below(&self, depot: &[u8], place: &[u8]) -> Option<Part> {
        if let Some(part) = self.fitting(place) {
            return Some(part);
        }
        let (index, table) = (self.scan.index, self.scan.access.table);
        let [samples, revisions] = index.head.samples;
        let samples = if table == Table::Files { samples } else { revisions };
        let literal = folded_key(depot, index.folds());
        let mut from = literal.clone();
        for _ in 0..MAX_SAMPLES {
            let sample = index.sample_from(samples, &from, &literal).ok()??;
            if let Some(part) = self.above(&sample, depot, place) {
                return Some(part);
            }
            from = self.behind(&sample);
        }
        None
    }

    /// The outermost directory above a sample.
    fn above(&self, sample: &[u8], depot: &[u8], place: &[u8]) -> Option<Part> {
        let slashes = sample.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let ends = slashes.map(|(at, _)| at).filter(|at| *at >= depot.len());
        let mut directories =
            ends.filter_map(|at| Some([place, sample.get(depot.len()..=at)?].concat()));
        directories.find_map(|directory| self.fitting(&directory))
    }

    fn behind(&self, sample: &[u8]) -> Vec<u8> {
        let client = self.scan.through_view(&self.argument).map(|(client, _)| client);
        let view = client.as_ref().and_then(|client| client.view(self.scan));
        behind(view.and_then(|view| view.ranges.excluded_around(sample)).unwrap_or(sample))
    }

    /// The argument narrowed to a directory, and at most how many records it reads; None if the
    /// directory is not within the argument, does not have between 1 and `limit` records, or is not
    /// accepted.
    fn fitting(&self, directory: &[u8]) -> Option<Part> {
        let folds = self.scan.index.folds();
        let (start, rest) = split(&self.argument);
        let is_below = remainder(directory, start, folds).is_some_and(|names| !names.is_empty());
        // The start of a view line may end within a name, and has the spelling to propose.
        let part = if rest == b"..." && is_below {
            [directory, rest].concat()
        } else {
            let demand = Demand { is_enough: &|_| true, client: None, case_sensitive: !folds };
            Line::argument(&self.argument).toward(directory, &demand)?.path().to_vec()
        };
        let rows = self.scan.rows(&part)?;
        let is_small = rows.at_least > 0 && rows.at_most <= self.limit;
        let is_proposed = is_small
            && has_mapped_file(self.scan, &part) == Some(true)
            && self.tried.replace(self.tried.get() + 1) < MAX_TRIED
            && (self.accepts)(&part);
        is_proposed.then_some((part, rows.at_most))
    }
}

/// The starts of the paths on both sides of a view line, of those that it maps below a directory on
/// the first side. None if the line maps nothing there, or if a side has a wildcard other than a final
/// `...`.
fn common_starts(
    (one, other): (&[u8], &[u8]),
    directory: &[u8],
    folds: bool,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let ((one, b"..."), (other, b"...")) = (split(one), split(other)) else { return None };
    match remainder(directory, one, folds) {
        Some(rest) => Some((directory.to_vec(), [other, rest].concat())),
        None => remainder(one, directory, folds).map(|_| (one.to_vec(), other.to_vec())),
    }
}

/// The rest of a path behind its start, which is compared without case if `folds`; None if the path
/// does not begin with the start.
fn remainder<'p>(path: &'p [u8], start: &[u8], folds: bool) -> Option<&'p [u8]> {
    let (front, rest) = path.split_at_checked(start.len())?;
    is_same(front, start, !folds).then_some(rest)
}
