//! Follows the map of Perforce's C++ API.

use crate::ranges::pattern::translate;
use crate::ranges::range::split;
use crate::rightsize::client_view::ClientView;
use crate::rightsize::view_row::{ADDS, EXCLUDES, OVERLAYS, ViewRow};

impl ClientView {
    /// None if no line maps `depot` to `client`. Lines internal to the server are ignored.
    ///
    /// Of the plain lines and overlays that match a depot path, the last one applies; dittos apply
    /// in addition, unless a later plain line matches all of their depot paths but not all of their
    /// client paths. An exclusion prevents all earlier lines from applying to a matching depot
    /// path, unless it is cancelled: a later line includes all files that it excludes (a ditto also
    /// at the same client paths). A line takes away the client paths that it matches: an earlier
    /// line does not map another depot path there, and the lines before that one do not map that
    /// depot path at all. Overlays take no client path away, nor exclusions that a later line
    /// cancels at the same client paths; nor does a line from an earlier one if one of the two is
    /// a ditto and the later one matches all depot paths of the earlier one (observed with the
    /// vendor's map implementation).
    #[must_use]
    pub fn row_of(&self, depot: &[u8], client: &[u8]) -> Option<usize> {
        self.row_among(&|_| true, depot, client)
    }

    /// Where the view maps `depot`, each with the index of its line, in the order of the view.
    #[must_use]
    pub fn places_of(&self, depot: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let lines = self.lines_by_depot(depot).filter(|(_, row)| row.includes());
        let mut places: Vec<_> = lines
            .filter_map(|(number, row)| {
                let place = self.through(&row.depot, &row.client, depot)??;
                (self.row_of(depot, &place) == Some(number)).then_some((number, place))
            })
            .collect();
        places.reverse();
        places
    }

    /// In a view that has only the lines for whose index `is_among` is true.
    pub fn row_among(
        &self,
        is_among: &impl Fn(usize) -> bool,
        depot: &[u8],
        client: &[u8],
    ) -> Option<usize> {
        let mut is_mapped = false;
        for (number, row) in self.lines_by_depot(depot).filter(|(number, _)| is_among(*number)) {
            let Some(place) = self.through(&row.depot, &row.client, depot) else {
                continue;
            };
            if self.is_cancelled(number, row, is_among) {
                continue;
            }
            let place = place.unwrap_or_default();
            if row.flag == EXCLUDES || self.is_taken(number, row, is_among, [depot, &place]) {
                return None;
            }
            let is_in_effect =
                if row.flag == ADDS { !self.is_hidden(number, row, is_among) } else { !is_mapped };
            if is_in_effect && self.is_same(&place, client) {
                return Some(number);
            }
            is_mapped |= row.flag != ADDS;
        }
        None
    }

    /// An exclusion is without effect if a later line includes all files that it excludes.
    fn is_cancelled(
        &self,
        number: usize,
        row: &ViewRow,
        is_among: &impl Fn(usize) -> bool,
    ) -> bool {
        let later = || later_than(number, self.lines_by_depot(&row.depot), is_among);
        row.flag == EXCLUDES && later().any(|(_, one)| self.cancels(one, row))
    }

    /// Likewise at the same client paths.
    fn is_cancelled_at_places(
        &self,
        number: usize,
        row: &ViewRow,
        is_among: &impl Fn(usize) -> bool,
    ) -> bool {
        let mut later = later_than(number, self.lines_by_depot(&row.depot), is_among);
        row.flag == EXCLUDES
            && later.any(|(_, one)| self.cancels(one, row) && self.covers_places(one, row))
    }

    /// Whether a later line takes the client path for another depot path.
    fn is_taken(
        &self,
        number: usize,
        row: &ViewRow,
        is_among: &impl Fn(usize) -> bool,
        [depot, client]: [&[u8]; 2],
    ) -> bool {
        let mut takers = later_than(number, self.lines_by_client(client), is_among);
        takers.any(|(at, one)| {
            self.takes_client_path(one, row, depot, client)
                && !self.is_cancelled_at_places(at, one, is_among)
        })
    }

    fn is_hidden(&self, number: usize, row: &ViewRow, is_among: &impl Fn(usize) -> bool) -> bool {
        let mut later = later_than(number, self.lines_by_depot(&row.depot), is_among);
        later.any(|(_, one)| self.hides_ditto(one, row))
    }

    /// A ditto has to include the files at the same client paths.
    fn cancels(&self, row: &ViewRow, exclusion: &ViewRow) -> bool {
        row.includes()
            && self.covers(row, exclusion)
            && (row.flag != ADDS || self.covers_places(row, exclusion))
    }

    /// It matches all depot paths of the ditto, but not all of its client paths.
    fn hides_ditto(&self, row: &ViewRow, ditto: &ViewRow) -> bool {
        row.is_plain() && self.covers(row, ditto) && !self.covers_places(row, ditto)
    }

    /// For another depot path than `depot` (or an unknown one), so that `earlier` no longer maps
    /// it.
    fn takes_client_path(
        &self,
        row: &ViewRow,
        earlier: &ViewRow,
        depot: &[u8],
        client: &[u8],
    ) -> bool {
        let is_other = |path: Option<Vec<u8>>| path.is_none_or(|path| !self.is_same(&path, depot));
        let is_shared = |row: &ViewRow| row.flag == ADDS;
        self.depot_path_taken_over(row, client).is_some_and(is_other)
            && !((is_shared(row) || is_shared(earlier)) && self.covers(row, earlier))
    }

    /// Assumed if the depot side of `row`, as a pattern, matches the depot side of `other`, whose
    /// wildcards are taken as literal text.
    fn covers(&self, row: &ViewRow, other: &ViewRow) -> bool {
        self.through(&row.depot, &row.client, &other.depot).is_some()
    }

    /// Like `covers`, for client paths.
    fn covers_places(&self, row: &ViewRow, other: &ViewRow) -> bool {
        self.through(&row.client, &row.depot, &other.client).is_some()
    }

    /// None if the line does not match `client` or is an overlay, and so leaves `client` to earlier
    /// lines; Some(None) if the depot path cannot be determined.
    pub(super) fn depot_path_taken_over(
        &self,
        row: &ViewRow,
        client: &[u8],
    ) -> Option<Option<Vec<u8>>> {
        if row.flag == OVERLAYS { None } else { self.through(&row.client, &row.depot, client) }
    }

    /// Like `translate`, but paths that cannot match are rejected quickly.
    pub(super) fn through(&self, from: &[u8], to: &[u8], path: &[u8]) -> Option<Option<Vec<u8>>> {
        let (literal, _) = split(from);
        let front = path.get(..literal.len())?;
        if self.is_same(front, literal) { translate(from, to, path, self.folds) } else { None }
    }

    pub(super) fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        if self.folds { one.eq_ignore_ascii_case(other) } else { one == other }
    }
}

/// `lines` are in descending order of their indexes.
fn later_than<'v>(
    number: usize,
    lines: impl Iterator<Item = (usize, &'v ViewRow)>,
    is_among: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (usize, &'v ViewRow)> {
    lines.take_while(move |(at, _)| *at > number).filter(move |(at, _)| is_among(*at))
}
