//! The lines that a narrower view of a client has for a depot directory, or for a single file.

use crate::ranges::range::split;
use crate::rightsize::client_view::{ClientView, Rival};
use crate::rightsize::tree::{is_file, side};
use crate::rightsize::view_row::{ADDS, EXCLUDES, OVERLAYS, ViewRow};
use std::collections::BTreeSet;

/// Stands for everything below a directory; no path on a server can contain it.
const REST: &[u8] = b"\x01";

/// A line that maps everything below a depot directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryMapping {
    /// Index in `ClientView::rows`.
    pub row: usize,
    /// Of the directory, ending with a slash, or of the file.
    pub client: Vec<u8>,
}

/// Those that map the whole directory, and the overlays, dittos and exclusions that may change the
/// mapping of a part of it.
#[derive(Clone, Debug)]
pub struct DirectoryLines {
    /// Ends with a slash, except for a file.
    directory: Vec<u8>,
    pub mapping: Vec<DirectoryMapping>,
    /// Index in the view of the first line in `mapping`.
    first: Option<usize>,
    /// Index of the last line in `mapping` that is plain or an overlay.
    last_undoubled: Option<usize>,
    /// Index of the last plain line in `mapping`.
    last_plain: Option<usize>,
}

impl ClientView {
    #[must_use]
    pub fn directory_lines(&self, directory: &[u8]) -> DirectoryLines {
        let mapping = if is_file(directory) {
            self.mapping_of_file(directory)
        } else {
            self.mapping(directory)
        };
        let last = |is_among: fn(&ViewRow) -> bool| {
            let rows = mapping.iter().map(|placed| placed.row);
            rows.filter(|number| self.rows().get(*number).is_some_and(is_among)).max()
        };
        DirectoryLines {
            directory: directory.to_vec(),
            first: mapping.first().map(|placed| placed.row),
            last_undoubled: last(|row| row.flag != ADDS),
            last_plain: last(ViewRow::is_plain),
            mapping,
        }
    }

    /// The line maps everything below the directory, or may change the mapping of a part.
    #[must_use]
    pub fn has_row(&self, lines: &DirectoryLines, row: usize) -> bool {
        lines.maps(row) || self.changes(row, lines)
    }

    /// Unchanged, or narrowed to the directory if it contains the rival's directory.
    #[must_use]
    pub fn has_rival(&self, lines: &DirectoryLines, rival: &Rival) -> bool {
        let is_below =
            !is_file(&lines.directory) && self.begins_with(&rival.directory, &lines.directory);
        (is_below && lines.maps(rival.row)) || self.changes(rival.row, lines)
    }

    /// Without dittos before a plain line, which it would hide.
    fn mapping_of_file(&self, depot: &[u8]) -> Vec<DirectoryMapping> {
        let places = self.places_of(depot);
        let is_plain =
            |(row, _): &(usize, Vec<u8>)| self.rows().get(*row).is_some_and(ViewRow::is_plain);
        let first = places.iter().rposition(is_plain).unwrap_or(0);
        let kept_places = places.into_iter().skip(first);
        kept_places.map(|(row, client)| DirectoryMapping { row, client }).collect()
    }

    /// In the order of the view, without lines that later lines override there. Empty if the client
    /// path cannot be determined for one of them.
    #[must_use]
    pub fn mapping(&self, directory: &[u8]) -> Vec<DirectoryMapping> {
        let probe = [directory, REST].concat();
        let is_whole = |number: usize| self.rows().get(number).is_some_and(ViewRow::is_whole);
        let mut placed = Vec::new();
        for (number, row) in self.lines_by_depot(&probe) {
            if !row.is_whole() {
                continue;
            }
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
            if self.row_among(&is_whole, &probe, &client).is_some() {
                placed.push(DirectoryMapping { row: number, client: place });
                if row.is_plain() {
                    break;
                }
            }
        }
        placed.reverse();
        placed
    }

    /// Whether the line is an overlay, ditto or exclusion that may change the mapping of a part of
    /// a directory. Not so for lines that those in `mapping` override: exclusions before the first
    /// of them, overlays before the last that is a plain line or an overlay, and dittos before the
    /// plain line among them. Such a ditto is kept if its client path lies inside the client path
    /// to which that plain line maps the directory.
    #[must_use]
    pub fn changes(&self, number: usize, lines: &DirectoryLines) -> bool {
        let Some(row) = self.rows().get(number).filter(|_| !is_file(&lines.directory)) else {
            return false;
        };
        let hidden_to = match row.flag {
            EXCLUDES => lines.first,
            OVERLAYS => lines.last_undoubled,
            ADDS if self.is_inside(row, lines) => None,
            ADDS => lines.last_plain,
            _ => return false,
        };
        Some(number) > hidden_to && !lines.maps(number) && self.meets(row, &lines.directory)
    }

    /// In the client path to which the last plain line maps the directory.
    fn is_inside(&self, ditto: &ViewRow, lines: &DirectoryLines) -> bool {
        let mut plain = lines.mapping.iter().filter(|placed| Some(placed.row) == lines.last_plain);
        plain.any(|placed| self.begins_with(&ditto.client, &placed.client))
    }

    /// The directories must not contain one another.
    #[must_use]
    pub fn narrowed_to(&self, directories: &[Vec<u8>]) -> Vec<ViewRow> {
        let mut rows: Vec<(usize, ViewRow)> = Vec::new();
        let mut changing = BTreeSet::new();
        for directory in directories {
            let lines = self.directory_lines(directory);
            for DirectoryMapping { row, client } in &lines.mapping {
                let flag = self.rows().get(*row).map_or(0, |row| row.flag);
                rows.push((*row, ViewRow { flag, depot: side(directory), client: side(client) }));
            }
            if is_file(directory) {
                continue;
            }
            changing.extend((0..self.rows().len()).filter(|row| self.changes(*row, &lines)));
        }
        for number in changing {
            rows.extend(self.rows().get(number).map(|row| (number, row.clone())));
        }
        rows.sort_by(|(one, row), (other, more)| {
            one.cmp(other).then_with(|| row.depot.cmp(&more.depot))
        });
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// An exclusion may also begin above the directory.
    fn meets(&self, row: &ViewRow, directory: &[u8]) -> bool {
        let (literal, wildcards) = split(&row.depot);
        let is_above = || !wildcards.is_empty() && self.begins_with(directory, literal);
        self.begins_with(literal, directory) || (row.flag == EXCLUDES && is_above())
    }

    fn begins_with(&self, path: &[u8], start: &[u8]) -> bool {
        path.get(..start.len()).is_some_and(|front| self.is_same(front, start))
    }
}

impl DirectoryLines {
    fn maps(&self, row: usize) -> bool {
        self.mapping.iter().any(|placed| placed.row == row)
    }
}

/// None if `client` does not end with a slash and the placeholder, if it contains the placeholder
/// twice, or if the line's depot side does not have exactly one `...`.
fn place_of(row: &ViewRow, client: &[u8]) -> Option<Vec<u8>> {
    let dots = |text: &[u8]| text.windows(3).filter(|three| three == b"...").count();
    let place = client.strip_suffix(REST).filter(|place| place.ends_with(b"/"))?;
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
        ClientView::new(lines.iter().map(row).collect(), false)
    }

    fn mapping(view: &ClientView, directory: &str) -> Vec<(usize, String)> {
        let text =
            |placed: DirectoryMapping| (placed.row, String::from_utf8(placed.client).unwrap());
        view.mapping(directory.as_bytes()).into_iter().map(text).collect()
    }

    fn changing_lines(view: &ClientView, directory: &str) -> Vec<usize> {
        let lines = view.directory_lines(directory.as_bytes());
        (0..view.rows().len()).filter(|row| view.changes(*row, &lines)).collect()
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
        assert_eq!(changing_lines(&view, "//depot/a/"), [2]);
        assert!(changing_lines(&view, "//depot/b/").is_empty());
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
        assert_eq!(changing_lines(&view, "//depot/"), [2, 3]);
        assert_eq!(changing_lines(&view, "//depot/a/b/"), [3]);
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
        assert_eq!(changing_lines(&view, "//depot/c/"), [1]);
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
        assert_eq!(view.row_among(&|row| row == 0, b"//depot/a/b/f", b"//ws/a/b/f"), Some(0));
        let mut rivals: Vec<Rival> = view.rivals(0..2, b"//ws/a/b/f").collect();
        rivals.sort();
        assert_eq!(
            rivals,
            [
                Rival { row: 0, directory: b"//depot/a/b/".to_vec() },
                Rival { row: 1, directory: b"//lib/b/".to_vec() },
            ]
        );
        let has_rival =
            |directory: &[u8]| view.has_rival(&view.directory_lines(directory), &rivals[1]);
        assert!(has_rival(b"//lib/") && !has_rival(b"//lib/c/"));
    }
}
