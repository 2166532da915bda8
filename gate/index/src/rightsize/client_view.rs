//! A client's view: lookup of the line that maps a file, and of the lines that map a directory.

use crate::base::order::folded;
use crate::ranges::pattern::translate;
use crate::ranges::range::split;
use std::collections::BTreeSet;

/// Placeholder for the rest of a path, which stands for everything below a directory; no path on a
/// server can contain it.
const BELOW: &[u8] = b"\x01";

/// A line of a client view, with its flag as stored in `db.view`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewRow {
    /// Flag of the view line in `db.view`: 0 maps, 1 excludes, 2 overlays (`+`), 3 is internal to
    /// the server, 5 maps additionally (ditto, `&`).
    pub flag: u64,
    /// The left side of the view line, in depot syntax (`//depot/...`).
    pub depot: Vec<u8>,
    /// The right side of the view line, in client syntax (`//client/...`).
    pub client: Vec<u8>,
}

const EXCLUDES: u64 = 1;
const OVERLAYS: u64 = 2;
const OF_SERVER: u64 = 3;
const ADDS: u64 = 5;

impl ViewRow {
    /// The character before the depot path of the view line in a client form: `-`, `+`, `&`, or
    /// none for a plain line.
    #[must_use]
    pub fn mark(&self) -> &'static str {
        match self.flag {
            EXCLUDES => "-",
            OVERLAYS => "+",
            ADDS => "&",
            _ => "",
        }
    }

    /// Whether the line is internal to the server and not shown in forms.
    #[must_use]
    pub fn is_of_server(&self) -> bool {
        self.flag == OF_SERVER
    }

    /// Whether the view line includes files, that is, neither excludes them nor is internal (flag
    /// 3).
    #[must_use]
    pub fn includes(&self) -> bool {
        !matches!(self.flag, EXCLUDES | OF_SERVER)
    }

    /// Whether the line leaves earlier lines in effect for the files that it maps.
    fn is_on_top(&self) -> bool {
        matches!(self.flag, OVERLAYS | ADDS)
    }

    /// Whether the line matches everything below the directories that it matches.
    fn is_whole(&self) -> bool {
        self.depot.ends_with(b"...")
    }

    fn is_plain(&self) -> bool {
        !self.is_on_top() && self.flag != EXCLUDES
    }
}

/// A view line that maps a whole directory, with the directory's client path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Index of the line in `ClientView::rows`, from 0.
    pub row: usize,
    /// The directory's path in client syntax, ending with a slash.
    pub client: Vec<u8>,
}

/// A view line that takes client paths of needed files from an earlier line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rival {
    /// Index of the line in `ClientView::rows`, from 0.
    pub row: usize,
    /// The depot directory, ending with a slash, that the line maps to those client paths.
    pub directory: Vec<u8>,
}

/// The view of one client, with all of its lines.
#[derive(Clone, Debug, Default)]
pub struct ClientView {
    /// The lines of the view, in order; a later line takes precedence over earlier ones.
    pub rows: Vec<ViewRow>,
    /// Whether paths are compared without case, as the server does.
    pub folds: bool,
}

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
        let mut later: Vec<&ViewRow> = Vec::new();
        let mut is_mapped = false;
        for (number, row) in self.lines(rows) {
            if row.flag == EXCLUDES && later.iter().any(|one| self.cancels(one, row)) {
                continue;
            }
            if let Some(place) = self.through(&row.depot, &row.client, depot) {
                let place = place.unwrap_or_default();
                if row.flag == EXCLUDES
                    || later.iter().any(|one| self.takes(one, row, depot, &place))
                {
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
    fn taken(&self, row: &ViewRow, client: &[u8]) -> Option<Option<Vec<u8>>> {
        if row.flag == OVERLAYS { None } else { self.through(&row.client, &row.depot, client) }
    }

    /// The lines among those with the given indexes that take a client path from earlier lines.
    pub fn rivals(
        &self,
        rows: std::ops::Range<usize>,
        client: &[u8],
    ) -> impl Iterator<Item = Rival> {
        self.lines(rows).filter_map(|(row, line)| {
            let path = self.taken(line, client)??;
            let slash = path.iter().rposition(|byte| *byte == b'/')?;
            Some(Rival { row, directory: path.get(..=slash)?.to_vec() })
        })
    }

    /// Whether a view that maps a directory contains a line that takes client paths from others.
    #[must_use]
    pub fn has_rival(&self, directory: &[u8], rival: &Rival) -> bool {
        let path = folded(directory, self.folds);
        let is_below = folded(&rival.directory, self.folds).starts_with(&path);
        self.changing(directory).contains(&rival.row)
            || (is_below && self.mapping(directory).iter().any(|placed| placed.row == rival.row))
    }

    /// The lines that map a whole directory, in order, except those whose client path for it goes to
    /// later lines. Empty if there is none, or if a line's wildcards do not determine the directory's
    /// client path.
    #[must_use]
    pub fn mapping(&self, directory: &[u8]) -> Vec<Placed> {
        let probe = [directory, BELOW].concat();
        let mut placed = Vec::new();
        for (number, row) in self.lines(self.whole()) {
            let Some(place) = self.through(&row.depot, &row.client, &probe) else {
                continue;
            };
            if row.flag == EXCLUDES {
                break;
            }
            let Some((place, client)) = place.and_then(|at| place_of(row, &at).zip(Some(at)))
            else {
                return Vec::new();
            };
            if self.row_among(self.whole(), &probe, &client).is_some() {
                placed.push(Placed { row: number, client: place });
            }
            if !row.is_on_top() {
                break;
            }
        }
        placed.reverse();
        placed
    }

    /// Indexes of the lines that may map a whole directory, the last line first.
    fn whole(&self) -> impl Iterator<Item = usize> {
        let is_whole = |number: &usize| self.rows.get(*number).is_some_and(ViewRow::is_whole);
        (0..self.rows.len()).rev().filter(is_whole)
    }

    /// Indexes of the overlay, ditto and exclusion lines that change part of a directory.
    ///
    /// A line that maps the whole directory hides earlier exclusions, an overlay or a plain line also
    /// earlier overlays, and a plain line also earlier dittos to places outside the directory's.
    #[must_use]
    pub fn changing(&self, directory: &[u8]) -> Vec<usize> {
        let mapping = self.mapping(directory);
        let last = |hides: fn(&ViewRow) -> bool| {
            let rows = mapping.iter().map(|placed| placed.row);
            rows.filter(|number| self.rows.get(*number).is_some_and(hides)).max()
        };
        let first = mapping.first().map(|placed| placed.row);
        let (overlay, plain) = (last(|row| row.flag != ADDS), last(ViewRow::is_plain));
        let is_inside = |row: &ViewRow| {
            let mut places = mapping.iter().filter(|placed| Some(placed.row) == plain);
            let place = folded(&row.client, self.folds);
            places.any(|placed| place.starts_with(&folded(&placed.client, self.folds)))
        };
        let is_kept = |(number, row): &(usize, &ViewRow)| {
            let hidden_to = match row.flag {
                EXCLUDES => first,
                OVERLAYS => overlay,
                ADDS if is_inside(row) => None,
                ADDS => plain,
                _ => return false,
            };
            Some(*number) > hidden_to
                && !mapping.iter().any(|placed| placed.row == *number)
                && self.meets(row, directory)
        };
        let rows = self.rows.iter().enumerate();
        rows.filter(is_kept).map(|(number, _)| number).collect()
    }

    /// The view that maps the given directories to their current client paths, with the overlays
    /// and exclusions that change part of them. No directory may contain another.
    #[must_use]
    pub fn narrowed_to(&self, directories: &[Vec<u8>]) -> Vec<ViewRow> {
        let mut rows: Vec<(usize, ViewRow)> = Vec::new();
        for directory in directories {
            for Placed { row, client } in self.mapping(directory) {
                let flag = self.rows.get(row).map_or(0, |row| row.flag);
                let dots = |path: &[u8]| [path, b"..."].concat();
                rows.push((row, ViewRow { flag, depot: dots(directory), client: dots(&client) }));
            }
        }
        let changing = directories.iter().flat_map(|directory| self.changing(directory));
        for number in changing.collect::<BTreeSet<_>>() {
            rows.extend(self.rows.get(number).map(|row| (number, row.clone())));
        }
        rows.sort_by(|(one, row), (other, more)| {
            one.cmp(other).then_with(|| row.depot.cmp(&more.depot))
        });
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// The lines with the given indexes that are shown in forms.
    fn lines(&self, rows: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, &ViewRow)> {
        let lines = rows.filter_map(|number| Some((number, self.rows.get(number)?)));
        lines.filter(|(_, row)| !row.is_of_server())
    }

    /// Translates a path to the other side of a line; same result as `translate`.
    fn through(&self, from: &[u8], to: &[u8], path: &[u8]) -> Option<Option<Vec<u8>>> {
        let (literal, _) = split(from);
        let front = path.get(..literal.len())?;
        if self.is_same(front, literal) { translate(from, to, path, self.folds) } else { None }
    }

    fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        if self.folds { one.eq_ignore_ascii_case(other) } else { one == other }
    }

    /// Whether an overlay lies below a directory, or an exclusion applies to files in it.
    fn meets(&self, row: &ViewRow, directory: &[u8]) -> bool {
        let (literal, wildcards) = split(&row.depot);
        let (literal, directory) = (folded(literal, self.folds), folded(directory, self.folds));
        if row.flag != EXCLUDES {
            return literal.starts_with(&directory);
        }
        literal.starts_with(&directory)
            || (!wildcards.is_empty() && directory.starts_with(&literal))
    }
}

/// The client path of a directory, derived from the client path of everything below it. None if a
/// wildcard other than the last may have matched part of the directory.
fn place_of(row: &ViewRow, client: &[u8]) -> Option<Vec<u8>> {
    let dots = |text: &[u8]| text.windows(3).filter(|three| three == b"...").count();
    let place = client.strip_suffix(BELOW).filter(|place| place.ends_with(b"/"))?;
    (dots(&row.depot) == 1 && !place.contains(&1)).then(|| place.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(lines: &[&str]) -> ClientView {
        let row = |line: &&str| {
            let (flag, line) = match line.split_at(1) {
                ("-", rest) => (1, rest),
                ("+", rest) => (2, rest),
                ("&", rest) => (5, rest),
                _ => (0, *line),
            };
            let (depot, client) = line.split_once(' ').unwrap();
            ViewRow { flag, depot: depot.into(), client: client.into() }
        };
        ClientView { rows: lines.iter().map(row).collect(), folds: false }
    }

    fn mapping(view: &ClientView, directory: &str) -> Vec<(usize, String)> {
        let text = |placed: Placed| (placed.row, String::from_utf8(placed.client).unwrap());
        view.mapping(directory.as_bytes()).into_iter().map(text).collect()
    }

    #[test]
    fn a_directory_has_the_place_that_the_last_line_gives() {
        let view = view(&[
            "//depot/... //ws/...",
            "//depot/a/... //ws/x/...",
            "-//depot/a/out/... //ws/x/out/...",
            "//lib/*/src/... //ws/lib/*/...",
        ]);
        assert_eq!(mapping(&view, "//depot/b/"), [(0, "//ws/b/".to_owned())]);
        assert_eq!(mapping(&view, "//depot/a/b/"), [(1, "//ws/x/b/".to_owned())]);
        assert_eq!(mapping(&view, "//depot/a/out/"), []);
        assert_eq!(mapping(&view, "//lib/q/src/"), [(3, "//ws/lib/q/".to_owned())]);
        assert_eq!(mapping(&view, "//lib/q/src/a/"), [(3, "//ws/lib/q/a/".to_owned())]);
        assert_eq!(mapping(&view, "//lib/"), []);
        assert_eq!(view.changing(b"//depot/a/"), [2]);
        assert!(view.changing(b"//depot/b/").is_empty());
    }

    #[test]
    fn overlays_and_dittos_stay_on_the_line_below_them() {
        let view = view(&[
            "//depot/... //ws/...",
            "+//over/... //ws/...",
            "&//depot/a/... //ws/too/...",
            "-//depot/a/....o //ws/a/....o",
        ]);
        let both = [(0, "//ws/a/".to_owned()), (2, "//ws/too/".to_owned())];
        assert_eq!(mapping(&view, "//depot/a/"), both);
        assert_eq!(mapping(&view, "//over/x/"), [(1, "//ws/x/".to_owned())]);
        assert_eq!(view.changing(b"//depot/"), [2, 3]);
        assert_eq!(view.changing(b"//depot/a/b/"), [3]);
        assert_eq!(view.row_of(b"//depot/a/f", b"//ws/too/f"), Some(2));
        assert_eq!(view.row_of(b"//depot/a/f", b"//ws/a/f"), Some(0));
        assert_eq!(view.row_of(b"//depot/a/f.o", b"//ws/a/f.o"), None);
    }

    #[test]
    fn a_narrowed_view_keeps_the_order_of_its_lines() {
        let view = view(&[
            "//depot/... //ws/...",
            "+//over/... //ws/...",
            "-//depot/a/out/... //ws/a/out/...",
            "&//depot/a/... //ws/too/...",
        ]);
        let text = |row: ViewRow| {
            let [depot, client] = [row.depot.clone(), row.client.clone()];
            let texts = [depot, client].map(|path| String::from_utf8(path).unwrap());
            format!("{}{}", row.mark(), texts.join(" "))
        };
        let directories = [b"//depot/a/".to_vec(), b"//depot/b/".to_vec(), b"//over/x/".to_vec()];
        let narrowed: Vec<_> = view.narrowed_to(&directories).into_iter().map(text).collect();
        let expected = [
            "//depot/a/... //ws/a/...",
            "//depot/b/... //ws/b/...",
            "+//over/x/... //ws/x/...",
            "-//depot/a/out/... //ws/a/out/...",
            "&//depot/a/... //ws/too/...",
        ];
        assert_eq!(narrowed, expected);
    }

    #[test]
    fn an_overlay_leaves_earlier_dittos_in_effect() {
        let view = view(&[
            "//depot/a/... //ws/a/...",
            "&//depot/c/f //ws/c/f",
            "+//depot/c/g //ws/g",
            "+//depot/... //ws/x/...",
        ]);
        assert_eq!(view.row_of(b"//depot/c/f", b"//ws/c/f"), Some(1));
        assert_eq!(view.row_of(b"//depot/c/f", b"//ws/x/c/f"), Some(3));
        assert_eq!(view.row_of(b"//depot/c/g", b"//ws/g"), None);
        assert_eq!(view.row_of(b"//depot/a/f", b"//ws/a/f"), None);
        assert_eq!(view.changing(b"//depot/c/"), [1]);
    }

    #[test]
    fn a_directory_has_no_place_that_a_later_line_takes() {
        let view = view(&[
            "//depot/... //ws/...",
            "//lib/... //ws/a/...",
            "//depot/a/b/... //ws/a/b/...",
            "-//lib/* //ws/a/*",
        ]);
        assert_eq!(mapping(&view, "//depot/a/"), []);
        assert_eq!(mapping(&view, "//depot/c/"), [(0, "//ws/c/".to_owned())]);
        assert_eq!(mapping(&view, "//depot/a/b/"), [(2, "//ws/a/b/".to_owned())]);
        assert_eq!(mapping(&view, "//lib/"), [(1, "//ws/a/".to_owned())]);
        assert_eq!(view.row_among([0].into_iter(), b"//depot/a/b/f", b"//ws/a/b/f"), Some(0));
        let rivals: Vec<Rival> = view.rivals(0..2, b"//ws/a/b/f").collect();
        assert_eq!(
            rivals,
            [
                Rival { row: 0, directory: b"//depot/a/b/".to_vec() },
                Rival { row: 1, directory: b"//lib/b/".to_vec() },
            ]
        );
        assert!(view.has_rival(b"//lib/", &rivals[1]) && !view.has_rival(b"//lib/c/", &rivals[1]));
    }
}
