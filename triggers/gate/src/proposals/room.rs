//! The counters that a view's limits bound, and the paths that its lines map already.
//!
//! A view with all proposed lines in place of its refused ones keeps its limits.

use crate::base::patterns::{counted_name, folded_name};
use crate::facts::known_depots::{Depot, KnownDepots};
use crate::forms::shares::{Names, Share, Shares};
use crate::paths::depot_path::{first_name, has_wildcard, is_embedded, literal_start, span};
use crate::proposals::narrowing::starts_with;
use std::collections::{BTreeMap, BTreeSet};

/// How other lines of a view decide about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decided {
    Mapped,
    Excluded,
    /// Of several paths, some are mapped and the others excluded.
    Both,
}

/// A limit of None is none.
#[derive(Debug, Default)]
pub struct Room<'v> {
    case_sensitive: bool,
    /// How many more include lines the view may have; a branch's line counts twice.
    lines: Option<i64>,
    /// How many more paths with `...` before their end.
    embedded: Option<i64>,
    shares: Option<RoomOfShares<'v>>,
    /// Numbers of lines with a proposal in their place; both sides of a branch's line may get one.
    pub replaced_lines: BTreeSet<usize>,
    /// Directories that include lines map completely, with a slash at their ends, `folded_name`.
    included: Vec<Vec<u8>>,
    /// Likewise those that lines exclude, with the number of the last such line.
    excluded: BTreeMap<Vec<u8>, usize>,
}

#[derive(Debug)]
pub struct RoomOfShares<'v> {
    shares: Shares,
    depots: &'v KnownDepots<'v>,
    /// With the proposed lines, by depot, as `folded_name`.
    with_proposals: BTreeMap<Vec<u8>, Option<Share>>,
}

impl<'v> Room<'v> {
    /// `excluded` are the numbers and paths of the exclusion lines in form order, `included` the
    /// paths of lines that stay.
    #[must_use]
    pub fn new<'p>(
        case_sensitive: bool,
        (lines, embedded): (Option<i64>, Option<i64>),
        shares: Option<RoomOfShares<'v>>,
        included: impl Iterator<Item = &'p [u8]>,
        excluded: impl Iterator<Item = (usize, &'p [u8])>,
    ) -> Self {
        let whole = |path| whole_directory(path, case_sensitive);
        let mut included: Vec<_> = included.filter_map(whole).collect();
        included.sort_unstable();
        let excluded = excluded.filter_map(|(number, path)| Some((whole(path)?, number))).collect();
        let replaced_lines = BTreeSet::new();
        Room { case_sensitive, lines, embedded, shares, replaced_lines, included, excluded }
    }

    /// How other lines certainly decide about all of a path: they map it, or lines after `number`
    /// exclude it. Only lines that end in `/...` and have no other wildcard are compared.
    #[must_use]
    pub fn decided(&self, path: &[u8], number: usize) -> Option<Decided> {
        if self.included.is_empty() && self.excluded.is_empty() {
            return None;
        }
        let literal = folded_name(literal_start(path), self.case_sensitive);
        let ends = literal.iter().enumerate().skip(2).filter(|(_, byte)| **byte == b'/');
        ends.filter_map(|(at, _)| literal.get(..=at)).find_map(|start| {
            if self.included.binary_search_by(|one| one.as_slice().cmp(start)).is_ok() {
                return Some(Decided::Mapped);
            }
            let is_excluded = self.excluded.get(start).is_some_and(|excluded| *excluded > number);
            is_excluded.then_some(Decided::Excluded)
        })
    }

    /// How many more lines for top directories of a path's depot the view may have; None without a
    /// limit.
    pub fn left(&mut self, path: &[u8]) -> Option<usize> {
        let depot = folded_name(first_name(path), self.case_sensitive);
        let share = self.shares.as_mut().and_then(|room| room.share(&depot, self.case_sensitive));
        let share = share.map(|one| one.max_directories - count(one.named_directories.len()));
        let left = [share, self.lines].into_iter().flatten().min()?;
        Some(usize::try_from(left).unwrap_or(0))
    }

    /// Counts a proposed line with these depot paths in the view, unless the view would then exceed
    /// a limit. The first line proposed for a refused one takes its place: `replaced` are the paths of
    /// the refused one then, else empty.
    pub fn take(&mut self, paths: &[&[u8]], replaced: &[&[u8]]) -> bool {
        let embedded_in = |paths: &[&[u8]]| paths.iter().filter(|path| is_embedded(path)).count();
        let lines = count(paths.len()) - count(replaced.len());
        let embedded = count(embedded_in(paths)) - count(embedded_in(replaced));
        let is_enough = |room: Option<i64>, needed| room.is_none_or(|room| room >= needed);
        if lines > 0 && !is_enough(self.lines, lines)
            || embedded_in(paths) > 0 && !is_enough(self.embedded, embedded)
            || !self.shares.as_mut().is_none_or(|room| room.take(paths, self.case_sensitive))
        {
            return false;
        }
        self.lines = self.lines.map(|room| room - lines);
        self.embedded = self.embedded.map(|room| room - embedded);
        true
    }
}

impl<'v> RoomOfShares<'v> {
    #[must_use]
    pub fn new(shares: Shares, depots: &'v KnownDepots<'v>) -> Self {
        RoomOfShares { shares, depots, with_proposals: BTreeMap::new() }
    }

    fn take(&mut self, paths: &[&[u8]], case_sensitive: bool) -> bool {
        let mut needed: BTreeMap<Vec<u8>, Share> = BTreeMap::new();
        let spans = paths.iter().filter_map(|path| span(path).ok());
        for span in spans.filter(|span| span.depth == 1 && !span.is_exact) {
            let depot = folded_name(span.depot, case_sensitive).into_owned();
            let share = needed.remove(&depot).or_else(|| self.share(&depot, case_sensitive));
            if let Some(mut share) = share {
                let directory = counted_name(span.directories, case_sensitive).into_owned();
                share.named_directories.insert(directory);
                needed.insert(depot, share);
            }
        }
        if needed.values().any(Share::is_too_large) {
            return false;
        }
        let needed = needed.into_iter().map(|(depot, share)| (depot, Some(share)));
        self.with_proposals.extend(needed);
        true
    }

    fn share(&mut self, depot: &[u8], case_sensitive: bool) -> Option<Share> {
        if let Some(share) = self.with_proposals.get(depot) {
            return share.clone();
        }
        let tops =
            self.depots.named(depot, case_sensitive).map(|depot| tops(depot, case_sensitive));
        let share = tops.and_then(|tops| self.shares.of(depot, &tops));
        self.with_proposals.insert(depot.to_vec(), share.clone());
        share
    }
}

/// The names of a depot's top directories; empty if they are unknown.
#[must_use]
pub fn tops(depot: &Depot, case_sensitive: bool) -> Names {
    let names = depot.directories.iter().flatten();
    names.map(|name| counted_name(name, case_sensitive).into_owned()).collect()
}

/// The directory that a depot path maps completely, with a slash at its end.
fn whole_directory(path: &[u8], case_sensitive: bool) -> Option<Vec<u8>> {
    let start = path.strip_suffix(b"...").filter(|start| start.ends_with(b"/"))?;
    (!has_wildcard(start)).then(|| folded_name(start, case_sensitive).into_owned())
}

/// Whether one of two directories is within the other.
#[must_use]
pub fn overlap(one: &[u8], other: &[u8], case_sensitive: bool) -> bool {
    starts_with(one, other, case_sensitive) || starts_with(other, one, case_sensitive)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
