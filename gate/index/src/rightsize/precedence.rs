//! Precedence of the lines of a client view over one another, as in the vendor's map.

use crate::ranges::pattern::translate;
use crate::ranges::range::split;
use crate::rightsize::client_view::ClientView;
use crate::rightsize::view_row::{ADDS, EXCLUDES, OVERLAYS, ViewRow};

impl ClientView {
    /// Index of the line that maps a depot path to a client path; None if the view maps the depot
    /// path nowhere or elsewhere.
    ///
    /// Of the plain lines and overlays for a depot path the last one applies; dittos apply in
    /// addition, unless a later plain line matches all that they match. A line for a client path
    /// takes it from earlier lines, and the earlier line's depot path from all lines before it;
    /// overlays take no client path, dittos none from a line whose depot paths they all match
    /// (observed with the vendor's map implementation).
    #[must_use]
    pub fn row_of(&self, depot: &[u8], client: &[u8]) -> Option<usize> {
        self.row_among((0..self.rows.len()).rev(), depot, client)
    }

    /// The same for a view that has only the lines with the given indexes, the last line first.
    pub fn row_among(
        &self,
        rows: impl Iterator<Item = usize>,
        depot: &[u8],
        client: &[u8],
    ) -> Option<usize> {
        let (mut later, mut is_mapped) = (Vec::new(), false);
        for (number, row) in self.lines(rows) {
            if let Some(place) = self.through(&row.depot, &row.client, depot)
                && !self.is_cancelled(row, &later)
            {
                let place = place.unwrap_or_default();
                if row.flag == EXCLUDES || self.is_taken(row, &later, depot, &place) {
                    return None;
                }
                let is_in_effect = if row.flag == ADDS {
                    !later.iter().any(|one| self.hides_ditto(one, row))
                } else {
                    !is_mapped
                };
                if is_in_effect && self.is_same(&place, client) {
                    return Some(number);
                }
                is_mapped |= row.flag != ADDS;
            }
            later.push(row);
        }
        None
    }

    /// Whether a line is an exclusion of which a later line includes everything.
    fn is_cancelled(&self, row: &ViewRow, later: &[&ViewRow]) -> bool {
        row.flag == EXCLUDES && later.iter().any(|one| self.cancels(one, row))
    }

    /// Whether a later line takes the client path that a line gives to a depot path.
    fn is_taken(&self, row: &ViewRow, later: &[&ViewRow], depot: &[u8], client: &[u8]) -> bool {
        let mut takers = later.iter().enumerate();
        takers.any(|(at, one)| {
            self.takes(one, row, depot, client)
                && !self.is_cancelled(one, later.get(..at).unwrap_or_default())
        })
    }

    /// Whether a line includes all that an earlier exclusion excludes.
    fn cancels(&self, row: &ViewRow, exclusion: &ViewRow) -> bool {
        row.includes()
            && self.covers(row, exclusion)
            && (row.flag != ADDS || self.covers_places(row, exclusion))
    }

    /// Whether a line leaves no depot path to an earlier ditto.
    fn hides_ditto(&self, row: &ViewRow, ditto: &ViewRow) -> bool {
        row.is_plain() && self.covers(row, ditto) && !self.covers_places(row, ditto)
    }

    /// Whether a line takes the client path that an earlier line gives to a depot path.
    fn takes(&self, row: &ViewRow, earlier: &ViewRow, depot: &[u8], client: &[u8]) -> bool {
        let is_other = |path: Option<Vec<u8>>| path.is_none_or(|path| !self.is_same(&path, depot));
        let is_shared = |row: &ViewRow| row.flag == ADDS;
        self.taken(row, client).is_some_and(is_other)
            && !((is_shared(row) || is_shared(earlier)) && self.covers(row, earlier))
    }

    /// Whether a line matches all depot paths that another line matches.
    fn covers(&self, row: &ViewRow, other: &ViewRow) -> bool {
        self.through(&row.depot, &row.client, &other.depot).is_some()
    }

    /// Whether a line matches all client paths that another line matches.
    fn covers_places(&self, row: &ViewRow, other: &ViewRow) -> bool {
        self.through(&row.client, &row.depot, &other.client).is_some()
    }

    /// The depot path that a line takes a client path for. None if it leaves the client path to
    /// earlier lines; Some(None) if the depot path is unknown.
    pub(super) fn taken(&self, row: &ViewRow, client: &[u8]) -> Option<Option<Vec<u8>>> {
        if row.flag == OVERLAYS { None } else { self.through(&row.client, &row.depot, client) }
    }

    /// The lines with the given indexes that are shown in forms.
    pub(super) fn lines(
        &self,
        rows: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = (usize, &ViewRow)> {
        let lines = rows.filter_map(|number| Some((number, self.rows.get(number)?)));
        lines.filter(|(_, row)| !row.is_of_server())
    }

    /// Translates a path to the other side of a line; same result as `translate`.
    pub(super) fn through(&self, from: &[u8], to: &[u8], path: &[u8]) -> Option<Option<Vec<u8>>> {
        let (literal, _) = split(from);
        let front = path.get(..literal.len())?;
        if self.is_same(front, literal) { translate(from, to, path, self.folds) } else { None }
    }

    pub(super) fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        if self.folds { one.eq_ignore_ascii_case(other) } else { one == other }
    }
}
