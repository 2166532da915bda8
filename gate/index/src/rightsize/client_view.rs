//! The view of a client: which lines map a directory, and how the view is narrowed to directories.

use crate::base::order::folded_key;
use crate::ranges::range::split;
use crate::rightsize::view_row::{ADDS, EXCLUDES, OVERLAYS, ViewRow};
use std::collections::BTreeSet;

/// Placeholder for the rest of a path, which stands for everything below a directory; no path on a
/// server can contain it.
const BELOW: &[u8] = b"\x01";

/// A line of a client's current view that maps everything below a depot directory, with the
/// directory's client path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryMapping {
    /// Index of the view line in `ClientView::rows`, from 0.
    pub row: usize,
    /// The client path to which the view line maps the directory, ending with a slash.
    pub client: Vec<u8>,
}

/// A view line that would, in a proposed view, take client paths of needed files from an earlier
/// view line, so that the view must not contain both lines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rival {
    /// Index of the view line in `ClientView::rows`, from 0.
    pub row: usize,
    /// The depot directory, ending with a slash, of the depot path that this later view line
    /// relates (as a mapping or an exclusion) to a client path that an earlier view line maps.
    pub directory: Vec<u8>,
}

/// The view of one client, with all of its lines, also exclusions and lines that are internal to
/// the server (flag 3 in `db.view`).
#[derive(Clone, Debug, Default)]
pub struct ClientView {
    /// The lines of the client's view, in the order of the view.
    pub rows: Vec<ViewRow>,
    /// Whether paths are compared without case, as the server compares them.
    pub folds: bool,
}

impl ClientView {
    /// Iterates over the view lines with indexes in `rows` that match the client path `client`,
    /// each with the directory of the depot path that the line relates to `client`. Left out are
    /// overlays, lines internal to the server, and lines whose depot path cannot be determined.
    pub fn rivals(
        &self,
        rows: std::ops::Range<usize>,
        client: &[u8],
    ) -> impl Iterator<Item = Rival> {
        self.lines(rows).filter_map(|(row, line)| {
            let path = self.depot_path_taken_over(line, client)??;
            let slash = path.iter().rposition(|byte| *byte == b'/')?;
            Some(Rival { row, directory: path.get(..=slash)?.to_vec() })
        })
    }

    /// Whether the view has dittos (`&`), which map files to further client paths.
    #[must_use]
    pub fn has_dittos(&self) -> bool {
        self.rows.iter().any(|row| row.flag == ADDS)
    }

    /// Whether the lines that a narrowed view has for a depot directory include the view line
    /// `rival`: unchanged, or narrowed to this directory if it contains the rival's directory.
    #[must_use]
    pub fn has_rival(&self, directory: &[u8], rival: &Rival) -> bool {
        let path = folded_key(directory, self.folds);
        let is_below = folded_key(&rival.directory, self.folds).starts_with(&path);
        self.changing_lines(directory).contains(&rival.row)
            || (is_below && self.mapping(directory).iter().any(|placed| placed.row == rival.row))
    }

    /// The view lines that map everything below a directory, in the order of the view, each with
    /// the directory's client path; without lines that later lines override there. Empty if there
    /// is no such line, or if the client path cannot be determined for one of them.
    #[must_use]
    pub fn mapping(&self, directory: &[u8]) -> Vec<DirectoryMapping> {
        let probe = [directory, BELOW].concat();
        let mut placed = Vec::new();
        for (number, row) in self.lines(self.whole_lines()) {
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
            if self.row_among(self.whole_lines(), &probe, &client).is_some() {
                placed.push(DirectoryMapping { row: number, client: place });
                if row.is_plain() {
                    break;
                }
            }
        }
        placed.reverse();
        placed
    }

    /// Indexes of the view lines, exclusions included, whose depot side ends with `...`; the last
    /// line first.
    fn whole_lines(&self) -> impl Iterator<Item = usize> {
        let is_whole = |number: &usize| self.rows.get(*number).is_some_and(ViewRow::is_whole);
        (0..self.rows.len()).rev().filter(is_whole)
    }

    /// Indexes of the overlays, dittos and exclusions of the view that may change the mapping of a
    /// part of a directory.
    ///
    /// Left out are the lines that map everything below the directory, and lines that these
    /// override: exclusions before the first of them, overlays before the last of them that is a
    /// plain line or an overlay, and dittos before the plain line among them. Such a ditto is kept
    /// if its client path lies inside the client path to which that plain line maps the directory.
    #[must_use]
    pub fn changing_lines(&self, directory: &[u8]) -> Vec<usize> {
        let mapping = self.mapping(directory);
        let last = |hides: fn(&ViewRow) -> bool| {
            let rows = mapping.iter().map(|placed| placed.row);
            rows.filter(|number| self.rows.get(*number).is_some_and(hides)).max()
        };
        let first = mapping.first().map(|placed| placed.row);
        let (overlay, plain) = (last(|row| row.flag != ADDS), last(ViewRow::is_plain));
        let is_inside = |row: &ViewRow| {
            let mut places = mapping.iter().filter(|placed| Some(placed.row) == plain);
            let place = folded_key(&row.client, self.folds);
            places.any(|placed| place.starts_with(&folded_key(&placed.client, self.folds)))
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

    /// The lines of a narrower view, which maps only the given directories, to their current client
    /// paths, together with the overlays, dittos and exclusions that may change parts of them. The
    /// directories must not contain one another.
    #[must_use]
    pub fn narrowed_to(&self, directories: &[Vec<u8>]) -> Vec<ViewRow> {
        let mut rows: Vec<(usize, ViewRow)> = Vec::new();
        for directory in directories {
            for DirectoryMapping { row, client } in self.mapping(directory) {
                let flag = self.rows.get(row).map_or(0, |row| row.flag);
                let dots = |path: &[u8]| [path, b"..."].concat();
                rows.push((row, ViewRow { flag, depot: dots(directory), client: dots(&client) }));
            }
        }
        let changing = directories.iter().flat_map(|directory| self.changing_lines(directory));
        for number in changing.collect::<BTreeSet<_>>() {
            rows.extend(self.rows.get(number).map(|row| (number, row.clone())));
        }
        rows.sort_by(|(one, row), (other, more)| {
            one.cmp(other).then_with(|| row.depot.cmp(&more.depot))
        });
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Whether the view line `row` concerns a part of a directory: an overlay or ditto whose depot
    /// path begins with the directory's path, or an exclusion that may match files below the
    /// directory.
    fn meets(&self, row: &ViewRow, directory: &[u8]) -> bool {
        let (literal, wildcards) = split(&row.depot);
        let (literal, directory) =
            (folded_key(literal, self.folds), folded_key(directory, self.folds));
        if row.flag != EXCLUDES {
            return literal.starts_with(&directory);
        }
        literal.starts_with(&directory)
            || (!wildcards.is_empty() && directory.starts_with(&literal))
    }
}

/// Client path of a directory, from `client`, the client path that a view line gives to the
/// placeholder for everything below the directory. None if `client` does not end with a slash and
/// the placeholder, if it contains the placeholder twice, or if the line's depot side does not have
/// exactly one `...`.
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
        let text =
            |placed: DirectoryMapping| (placed.row, String::from_utf8(placed.client).unwrap());
        view.mapping(directory.as_bytes()).into_iter().map(text).collect()
    }

    #[test]
    fn a_directory_is_mapped_by_the_last_matching_view_line() {
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
        assert_eq!(view.changing_lines(b"//depot/a/"), [2]);
        assert!(view.changing_lines(b"//depot/b/").is_empty());
    }

    #[test]
    fn overlay_and_ditto_lines_keep_earlier_view_lines_in_effect() {
        let view = view(&[
            "//depot/... //ws/...",
            "+//over/... //ws/...",
            "&//depot/a/... //ws/too/...",
            "-//depot/a/....o //ws/a/....o",
        ]);
        let both = [(0, "//ws/a/".to_owned()), (2, "//ws/too/".to_owned())];
        assert_eq!(mapping(&view, "//depot/a/"), both);
        assert_eq!(mapping(&view, "//over/x/"), [(1, "//ws/x/".to_owned())]);
        assert_eq!(view.changing_lines(b"//depot/"), [2, 3]);
        assert_eq!(view.changing_lines(b"//depot/a/b/"), [3]);
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
    fn an_overlay_line_leaves_earlier_ditto_lines_in_effect() {
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
        assert_eq!(view.changing_lines(b"//depot/c/"), [1]);
    }

    #[test]
    fn a_directory_is_unmapped_if_a_later_view_line_uses_its_client_paths() {
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
