//! Where a client's view maps a file: the place of one depot path.

use crate::base::order::{begins_with_name, is_same_name};
use crate::file::view_line::{ADDS, EXCLUDES, OVERLAYS, ViewLine};
use crate::ranges::pattern::translate;
use crate::ranges::range::split;

/// Stands for everything below a directory; no path on a server can contain it.
pub(crate) const REST: &[u8] = b"\x01";

/// With all lines, also exclusions and lines that are internal to the server (flag 3 in `db.view`).
///
/// A later line applies before earlier ones. That it also takes client paths from them is considered
/// in `own_places` alone: a narrower view is checked with the vendor's map.
#[derive(Clone, Debug, Default)]
pub struct ClientView {
    rows: Vec<ViewLine>,
    pub folds: bool,
}

/// Indexes in the view, ascending.
pub type Rows = Vec<usize>;

impl ClientView {
    pub fn new(rows: Vec<ViewLine>, folds: bool) -> Self {
        ClientView { rows, folds }
    }

    pub fn rows(&self) -> &[ViewLine] {
        &self.rows
    }

    /// All but those internal to the server.
    pub fn all_rows(&self) -> Rows {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| !row.is_of_server());
        rows.map(|(number, _)| number).collect()
    }

    /// Each client path with the line that maps it there, the last line first.
    pub fn places_of(&self, among: &[usize], depot: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let (mut places, mut is_mapped) = (Vec::new(), false);
        for (number, row) in self.numbered(among).rev() {
            let Some(place) = self.through(row, depot) else { continue };
            if row.flag == EXCLUDES {
                break;
            }
            if row.flag == ADDS || !is_mapped {
                places.extend(place.map(|place| (number, place)));
            }
            is_mapped |= row.flag != ADDS;
            if row.is_plain() {
                break;
            }
        }
        places
    }

    /// Without those that a later line takes for other files, or excludes.
    pub fn own_places(&self, depot: &[u8]) -> Vec<(usize, Vec<u8>)> {
        let mut places = self.places_of(&self.all_rows(), depot);
        places.retain(|(number, place)| {
            !self.later(*number).any(|row| {
                row.flag != OVERLAYS
                    && self.begins_with(place, split(&row.client).0)
                    && translate(&row.client, &row.client, place, self.folds).is_some()
            })
        });
        places
    }

    /// Where one line maps everything below a depot directory, if no later line changes a part of it.
    pub fn place_of_all_below(&self, directory: &[u8]) -> Option<Vec<u8>> {
        let places = self.own_places(&[directory, REST].concat());
        let [(number, place)] = places.as_slice() else { return None };
        let place = place.strip_suffix(REST)?;
        let mut later = self.later(*number);
        let is_changed = later.any(|row| {
            self.may_match_below(&row.depot, directory) || self.may_match_below(&row.client, place)
        });
        (!is_changed).then(|| place.to_vec())
    }

    fn later(&self, number: usize) -> impl Iterator<Item = &ViewLine> {
        self.rows.iter().skip(number + 1).filter(|row| !row.is_of_server())
    }

    pub(crate) fn numbered<'v>(
        &'v self,
        among: &'v [usize],
    ) -> impl DoubleEndedIterator<Item = (usize, &'v ViewLine)> {
        among.iter().filter_map(|number| Some((*number, self.rows.get(*number)?)))
    }

    /// None if it does not match; Some(None) if the client path cannot be determined.
    pub(crate) fn through(&self, row: &ViewLine, depot: &[u8]) -> Option<Option<Vec<u8>>> {
        if !self.begins_with(depot, split(&row.depot).0) {
            return None;
        }
        translate(&row.depot, &row.client, depot, self.folds)
    }

    pub(crate) fn may_match_below(&self, side: &[u8], directory: &[u8]) -> bool {
        let (literal, wildcards) = split(side);
        self.begins_with(literal, directory)
            || (!wildcards.is_empty() && self.begins_with(directory, literal))
    }

    pub fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        is_same_name(one, other, self.folds)
    }

    pub(crate) fn begins_with(&self, path: &[u8], start: &[u8]) -> bool {
        begins_with_name(path, start, self.folds)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Of lines with a blank between the sides.
    pub fn view(lines: &[&str]) -> ClientView {
        let row = |(number, line): (u64, &&str)| {
            let (depot, client) = line.split_once(' ').unwrap();
            ViewLine::marked(number, depot.as_bytes(), client.as_bytes())
        };
        ClientView::new((0..).zip(lines).map(row).collect(), false)
    }

    fn places(view: &ClientView, depot: &str) -> Vec<(usize, String)> {
        let places = view.places_of(&view.all_rows(), depot.as_bytes()).into_iter();
        places.map(|(row, place)| (row, String::from_utf8(place).unwrap())).collect()
    }

    #[test]
    fn a_file_is_mapped_by_the_last_matching_line_and_by_dittos() {
        let view = view(&[
            "&//depot/a/... //ws/too/...",
            "//depot/... //ws/...",
            "+//depot/a/... //ws/over/...",
            "&//depot/a/x/... //ws/x/...",
            "-//depot/....o //ws/....o",
        ]);
        let both = [(3, "//ws/x/f".to_owned()), (2, "//ws/over/x/f".to_owned())];
        assert_eq!(places(&view, "//depot/a/x/f"), both);
        assert_eq!(places(&view, "//depot/b/f"), [(1, "//ws/b/f".to_owned())]);
        assert_eq!(places(&view, "//depot/b/f.o"), []);
    }

    #[test]
    fn a_later_line_takes_client_paths_unless_it_is_an_overlay() {
        let view = view(&[
            "//depot/... //ws/...",
            "//other/... //ws/lib/...",
            "+//over/... //ws/over/...",
            "&//depot/x/... //ws/ditto/...",
            "-//gone/... //ws/out/...",
        ]);
        let own = |path: &str| {
            let places = view.own_places(path.as_bytes()).into_iter();
            places.map(|(_, place)| String::from_utf8(place).unwrap()).collect::<Vec<_>>()
        };
        for path in ["//depot/lib/f", "//depot/ditto/f", "//depot/out/f", "//gone/f"] {
            assert_eq!(own(path), [""; 0], "{path}");
        }
        assert_eq!(own("//depot/over/f"), ["//ws/over/f"]);
        assert_eq!(own("//depot/x/f"), ["//ws/ditto/f", "//ws/x/f"]);
        let whole = ["//depot/a/", "//other/", "//over/", "//depot/", "//depot/x/", "//gone/"];
        let whole = whole.map(|path| view.place_of_all_below(path.as_bytes()).is_some());
        assert_eq!(whole, [true, true, true, false, false, false]);
    }
}
