use crate::ranges::pattern::translate;
use crate::ranges::range::split;
use crate::rightsize::tree::{is_file, side};
use crate::rightsize::view_row::{ADDS, EXCLUDES, ViewRow};
use std::collections::BTreeSet;

/// Stands for everything below a directory; no path on a server can contain it.
const REST: &[u8] = b"\x01";

/// With all lines, also exclusions and lines that are internal to the server (flag 3 in `db.view`).
///
/// A later line applies before earlier ones. That it also takes client paths from them is not
/// considered here: a proposal is checked with the vendor's map.
#[derive(Clone, Debug, Default)]
pub struct ClientView {
    rows: Vec<ViewRow>,
    pub folds: bool,
}

/// Indexes in the view, ascending.
pub type Rows = Vec<usize>;

/// What is left of a line below a directory.
enum Part {
    Nothing,
    /// All of the directory, at this client path.
    Whole(Vec<u8>),
    Unchanged,
}

/// The lines that apply below a directory, in the order of the view.
#[derive(Clone, Debug, Default)]
pub struct NarrowedLines {
    lines: Vec<(usize, ViewRow)>,
    /// One of them maps all of the directory.
    pub is_mapped: bool,
}

impl NarrowedLines {
    #[must_use]
    pub fn rows(&self) -> Rows {
        self.lines.iter().map(|(row, _)| *row).collect()
    }
}

impl ClientView {
    #[must_use]
    pub fn new(rows: Vec<ViewRow>, folds: bool) -> Self {
        ClientView { rows, folds }
    }

    #[must_use]
    pub fn rows(&self) -> &[ViewRow] {
        &self.rows
    }

    /// All but those internal to the server.
    #[must_use]
    pub fn all_rows(&self) -> Rows {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| !row.is_of_server());
        rows.map(|(number, _)| number).collect()
    }

    /// Of `among`, those that may match a path below a directory.
    #[must_use]
    pub fn rows_meeting(&self, among: &[usize], directory: &[u8]) -> Rows {
        let meets = |number: &usize| {
            self.rows.get(*number).is_some_and(|row| {
                let (literal, wildcards) = split(&row.depot);
                self.begins_with(literal, directory)
                    || (!wildcards.is_empty() && self.begins_with(directory, literal))
            })
        };
        among.iter().copied().filter(meets).collect()
    }

    /// Each client path with the line that maps it there, the last line first.
    #[must_use]
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

    /// Of a directory or a single file.
    #[must_use]
    pub fn narrowed_lines(&self, among: &[usize], path: &[u8]) -> NarrowedLines {
        let mut narrowed = NarrowedLines::default();
        for (number, row) in self.numbered(among) {
            match self.part(row, path) {
                Part::Nothing => {}
                Part::Unchanged => narrowed.lines.push((number, row.clone())),
                Part::Whole(client) => {
                    if row.flag != ADDS {
                        let stays = row.is_on_top();
                        narrowed.lines.retain(|(_, line)| stays && line.flag == ADDS);
                        narrowed.is_mapped &= stays && !narrowed.lines.is_empty();
                    }
                    if row.flag != EXCLUDES {
                        let line =
                            ViewRow { flag: row.flag, depot: side(path), client: side(&client) };
                        narrowed.lines.push((number, line));
                        narrowed.is_mapped = true;
                    }
                }
            }
        }
        narrowed
    }

    /// The view of only these directories and files, which must not contain one another. A plain
    /// line for a part of a directory is kept if it is one of the `used_rows`.
    #[must_use]
    pub fn narrowed_to(&self, paths: &[Vec<u8>], used_rows: &BTreeSet<usize>) -> Vec<ViewRow> {
        let (among, mut lines) = (self.all_rows(), Vec::new());
        for path in paths {
            let narrowed = self.narrowed_lines(&self.rows_meeting(&among, path), path).lines;
            lines.extend(narrowed.into_iter().filter(|(row, line)| {
                !line.is_plain() || line.depot == side(path) || used_rows.contains(row)
            }));
        }
        lines.sort_by(|(one, line), (other, more)| (one, &line.depot).cmp(&(other, &more.depot)));
        lines.dedup();
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn numbered<'v>(
        &'v self,
        among: &'v [usize],
    ) -> impl DoubleEndedIterator<Item = (usize, &'v ViewRow)> {
        among.iter().filter_map(|number| Some((*number, self.rows.get(*number)?)))
    }

    fn part(&self, row: &ViewRow, path: &[u8]) -> Part {
        let place = if is_file(path) {
            self.through(row, path).flatten()
        } else if row.is_whole() {
            self.through(row, &[path, REST].concat()).flatten().and_then(|at| place_of(row, &at))
        } else {
            None
        };
        let is_below = || self.begins_with(split(&row.depot).0, path);
        match place {
            Some(client) => Part::Whole(client),
            None if is_file(path) => Part::Nothing,
            None if is_below() || row.flag == EXCLUDES => Part::Unchanged,
            None => Part::Nothing,
        }
    }

    /// None if it does not match; Some(None) if the client path cannot be determined.
    fn through(&self, row: &ViewRow, depot: &[u8]) -> Option<Option<Vec<u8>>> {
        if !self.begins_with(depot, split(&row.depot).0) {
            return None;
        }
        translate(&row.depot, &row.client, depot, self.folds)
    }

    #[must_use]
    pub fn is_same(&self, one: &[u8], other: &[u8]) -> bool {
        if self.folds { one.eq_ignore_ascii_case(other) } else { one == other }
    }

    fn begins_with(&self, path: &[u8], start: &[u8]) -> bool {
        path.get(..start.len()).is_some_and(|front| self.is_same(front, start))
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

    fn places(view: &ClientView, depot: &str) -> Vec<(usize, String)> {
        let places = view.places_of(&view.all_rows(), depot.as_bytes()).into_iter();
        places.map(|(row, place)| (row, String::from_utf8(place).unwrap())).collect()
    }

    fn narrowed(view: &ClientView, paths: &[&str]) -> Vec<String> {
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        let rows = view.narrowed_to(&paths, &BTreeSet::new()).into_iter();
        let text = |row: ViewRow| {
            let [depot, client] = [row.depot.clone(), row.client.clone()]
                .map(|path| String::from_utf8(path).unwrap());
            format!("{}{depot} {client}", row.mark())
        };
        rows.map(text).collect()
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
    fn a_narrowed_view_keeps_the_order_of_its_lines_and_what_changes_a_part() {
        let view = view(&[
            "//depot/... //ws/...",
            "+//over/... //ws/...",
            "-//depot/a/out/... //ws/a/out/...",
            "&//depot/a/... //ws/too/...",
            "//lib/*/src/... //ws/lib/*/...",
            "//lib/q/src/unused/... //ws/unused/...",
        ]);
        let expected = [
            "//depot/a/... //ws/a/...",
            "//depot/b/... //ws/b/...",
            "+//over/x/... //ws/x/...",
            "-//depot/a/out/... //ws/a/out/...",
            "&//depot/a/... //ws/too/...",
            "//lib/q/src/... //ws/lib/q/...",
        ];
        let paths = ["//depot/a/", "//depot/b/", "//over/x/", "//lib/q/src/"];
        assert_eq!(narrowed(&view, &paths), expected);
        assert_eq!(narrowed(&view, &["//depot/a/out/"]), ["&//depot/a/out/... //ws/too/out/..."]);
        assert_eq!(narrowed(&view, &["//depot/a/f"])[0], "//depot/a/f //ws/a/f");
    }

    #[test]
    fn a_directory_is_mapped_only_by_a_line_for_all_of_it() {
        let view =
            view(&["//depot/... //ws/...", "-//depot/a/... //ws/a/...", "//lib/*.c //ws/*.c"]);
        let is_mapped =
            |path: &str| view.narrowed_lines(&view.all_rows(), path.as_bytes()).is_mapped;
        assert!(is_mapped("//depot/b/"));
        assert!(!is_mapped("//depot/a/b/") && !is_mapped("//lib/"));
        assert!(is_mapped("//lib/f.c"));
    }
}
