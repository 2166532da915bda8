//! A view with only some directories and files of a client's view.

use crate::estimate::client_view::{ClientView, REST, Rows};
use crate::file::view_line::{ADDS, EXCLUDES, ViewLine};
use crate::ranges::range::split;
use crate::rightsize::tree::{is_file, side};
use std::collections::BTreeSet;

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
    lines: Vec<(usize, ViewLine)>,
    /// One of them maps all of the directory.
    pub is_mapped: bool,
}

impl NarrowedLines {
    pub fn rows(&self) -> Rows {
        self.lines.iter().map(|(row, _)| *row).collect()
    }
}

impl ClientView {
    /// Of `among`, those that may match a path below a directory.
    pub fn rows_meeting(&self, among: &[usize], directory: &[u8]) -> Rows {
        let meets = |number: &usize| {
            self.rows().get(*number).is_some_and(|row| self.may_match_below(&row.depot, directory))
        };
        among.iter().copied().filter(meets).collect()
    }

    /// Of a directory or a single file.
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
                        let (depot, client) = (side(path), side(&client));
                        let line = ViewLine { number: row.number, flag: row.flag, depot, client };
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
    pub fn narrowed_to(&self, paths: &[Vec<u8>], used_rows: &BTreeSet<usize>) -> Vec<ViewLine> {
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

    fn part(&self, row: &ViewLine, path: &[u8]) -> Part {
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
}

/// None if `client` does not end with a slash and the placeholder, if it contains the placeholder
/// twice, or if the line's depot side does not have exactly one `...`.
fn place_of(row: &ViewLine, client: &[u8]) -> Option<Vec<u8>> {
    let dots = |text: &[u8]| text.windows(3).filter(|three| three == b"...").count();
    let place = client.strip_suffix(REST).filter(|place| place.ends_with(b"/"))?;
    (dots(&row.depot) == 1 && !place.contains(&1)).then(|| place.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::client_view::tests::view;

    fn narrowed(view: &ClientView, paths: &[&str]) -> Vec<String> {
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        let rows = view.narrowed_to(&paths, &BTreeSet::new()).into_iter();
        let text = |row: ViewLine| {
            let [depot, client] = [row.depot.clone(), row.client.clone()]
                .map(|path| String::from_utf8(path).unwrap());
            format!("{}{depot} {client}", row.mark())
        };
        rows.map(text).collect()
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
