//! Computes the part of a client's view that a file argument covers, as ranges of depot paths.

use crate::base::order::{folded_key, is_same_name};
use crate::file::client::ClientMapping;
use crate::file::view_line::ViewLine;
use crate::ranges::pattern::translate;
use crate::ranges::range::{Extent, Range, range, split};

/// The ranges of depot paths that p4d reads for a client's view.
#[derive(Debug)]
pub struct ViewRanges {
    /// For each line that includes files. Exclusions are not subtracted, because p4d reads excluded
    /// files too.
    pub whole: Vec<Range>,
    /// The same for the client sides: the number of bytes before the first wildcard.
    client_literals: Vec<usize>,
    /// Of the lines that exclude everything in a range, with their numbers.
    excluded: Vec<(u64, Range)>,
    folds: bool,
}

impl ViewRanges {
    pub fn of(mapping: &ClientMapping, folds: bool) -> Self {
        let excluded = mapping.exclusions.iter().filter_map(|line| {
            let is_all = matches!(split(&line.depot).1, b"..." | b"*" | b"");
            is_all.then(|| (line.number, range(&line.depot, folds)))
        });
        ViewRanges {
            whole: mapping.view.iter().map(|line| range(&line.depot, folds)).collect(),
            client_literals: mapping.view.iter().map(|line| split(&line.client).0.len()).collect(),
            excluded: excluded.collect(),
            folds,
        }
    }

    /// Of an argument in depot syntax, or in client syntax of the view's client; they may contain
    /// further paths.
    ///
    /// Of a line that maps more, what a later line excludes as a whole is left out: the vendor's
    /// map of the argument and the view then has no path to read (`Join` in map/*.cc of Perforce's
    /// C++ API).
    pub fn of_argument(&self, view: &[ViewLine], path: &[u8], is_of_client: bool) -> Vec<Range> {
        let argument = range(path, self.folds);
        let lines = view.iter().zip(&self.whole).zip(&self.client_literals);
        let parts = lines.filter_map(|((line, whole), bytes)| {
            let part = match is_of_client {
                true => self.through(line, *bytes, &argument)?,
                false => whole.common(&argument)?,
            };
            (part == *whole || !self.is_excluded(line, &part)).then_some(part)
        });
        parts.collect()
    }

    /// Most view lines map other directories; they are skipped before anything is copied.
    fn through(&self, line: &ViewLine, bytes: usize, argument: &Range) -> Option<Range> {
        let literal = line.client.get(..bytes)?;
        is_nested(literal, &argument.literal, self.folds)
            .then(|| range_through(line, argument, self.folds))?
    }

    /// The directory around a path of which a line excludes everything.
    pub fn excluded_around(&self, path: &[u8]) -> Option<&[u8]> {
        let has_it = |(_, all): &&(u64, Range)| all.extent == Extent::Below && all.has(path);
        self.excluded.iter().find(has_it).map(|(_, all)| &all.literal[..])
    }

    fn is_excluded(&self, line: &ViewLine, part: &Range) -> bool {
        let has_all = |all: &Range| all.has(&part.literal) && all.extent <= part.extent;
        self.excluded.iter().any(|(number, all)| *number > line.number && has_all(all))
    }
}

/// The depot directory that a view maps to a client directory (in client syntax, with a slash at
/// the end), as the view and the client directory spell it. None unless exactly one view line maps
/// a part of the client directory, and that line maps a whole depot directory to this part.
pub fn directory_in_depot(view: &[ViewLine], directory: &[u8], folds: bool) -> Option<Vec<u8>> {
    let directory_range = Range { literal: folded_key(directory, folds), extent: Extent::Below };
    let mut ranges =
        view.iter().filter_map(|line| Some((line, range_through(line, &directory_range, folds)?)));
    let (Some((line, range)), None) = (ranges.next(), ranges.next()) else { return None };
    if range.extent != Extent::Below || !range.literal.ends_with(b"/") {
        return None;
    }
    // The range is in lower case if case is ignored: the start of the line's depot path, followed
    // by the end of the client directory.
    let start = split(&line.depot).0;
    let rest_bytes = range.literal.len().checked_sub(start.len())?;
    let rest = directory.get(directory.len().checked_sub(rest_bytes)?..)?;
    Some([start, rest].concat())
}

/// The range of depot paths that an argument, given as a range in client syntax, covers through a
/// view line; it may contain further paths. None if the line is found to map no part of the
/// argument.
fn range_through(line: &ViewLine, argument_range: &Range, folds: bool) -> Option<Range> {
    let line_range = range(&line.client, folds);
    let common = line_range.common(argument_range)?;
    if common == line_range {
        return Some(range(&line.depot, folds));
    }
    let (client, depot) = (folded_key(&line.client, folds), folded_key(&line.depot, folds));
    if argument_range.extent == Extent::Exactly {
        let file = translate(&client, &depot, &argument_range.literal, folds)?;
        return Some(file.map_or_else(
            || range(&line.depot, folds),
            |literal| Range { literal, extent: Extent::Exactly },
        ));
    }
    let ((before, after), (depot_before, depot_after)) = (split(&client), split(&depot));
    if after != depot_after {
        // The two sides of the view line differ from the first wildcard on, so the argument cannot
        // be translated, and the range of the whole line is returned.
        return Some(range(&line.depot, folds));
    }
    let rest = common.literal.strip_prefix(before)?;
    Some(Range { literal: [depot_before, rest].concat(), extent: common.extent })
}

/// Whether one begins with the other, as the fixed texts of two overlapping path ranges do.
fn is_nested(one: &[u8], other: &[u8], folds: bool) -> bool {
    let bytes = one.len().min(other.len());
    let (one, other) = (one.get(..bytes), other.get(..bytes));
    let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
    is_same_name(one, other, folds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(lines: &[(&str, &str)]) -> ClientMapping {
        let mut mapping = ClientMapping::default();
        for (number, (depot, client)) in (0..).zip(lines) {
            mapping.add(ViewLine::marked(number, depot.as_bytes(), client.as_bytes()));
        }
        mapping
    }

    fn met(lines: &[(&str, &str)], argument: &str) -> Vec<(String, Extent)> {
        let mapping = mapping(lines);
        let is_of_client = argument.starts_with("//ws/") || argument.starts_with("//other/");
        let ranges = ViewRanges::of(&mapping, false);
        let ranges = ranges.of_argument(&mapping.view, argument.as_bytes(), is_of_client);
        let text =
            |range: Range| (String::from_utf8_lossy(&range.literal).into_owned(), range.extent);
        ranges.into_iter().map(text).collect()
    }

    #[test]
    fn client_syntax_arguments_are_mapped_to_depot_ranges() {
        let main = [("//depot/main/...", "//ws/m/..."), ("//depot/lib/*", "//ws/lib/*")];
        let ranges_of = |argument| met(&main, argument);
        let all = [
            ("//depot/main/".to_owned(), Extent::Below),
            ("//depot/lib/".to_owned(), Extent::Directly),
        ];
        assert_eq!(ranges_of("//ws/..."), all);
        assert_eq!(ranges_of("//ws/m/src/..."), [("//depot/main/src/".to_owned(), Extent::Below)]);
        assert_eq!(ranges_of("//ws/m/src/*"), [("//depot/main/src/".to_owned(), Extent::Directly)]);
        assert_eq!(ranges_of("//ws/m/a.c"), [("//depot/main/a.c".to_owned(), Extent::Exactly)]);
        assert_eq!(ranges_of("//ws/lib/..."), [("//depot/lib/".to_owned(), Extent::Directly)]);
        assert_eq!(ranges_of("//ws/lib/x..."), [("//depot/lib/x".to_owned(), Extent::Directly)]);
        assert_eq!(ranges_of("//ws/*"), []);
        assert_eq!(ranges_of("//other/..."), []);
        assert_eq!(ranges_of("//ws/lib/a/b"), []);
    }

    #[test]
    fn client_directories_are_mapped_as_they_are_spelled() {
        let lines =
            mapping(&[("//Depot/Main/...", "//WS/m/..."), ("//depot/Lib/...", "//ws/L/in/...")]);
        let of = |directory: &str, folds| {
            let directory_name = directory_in_depot(&lines.view, directory.as_bytes(), folds)?;
            String::from_utf8(directory_name).ok()
        };
        assert_eq!(of("//ws/M/Src/", true).as_deref(), Some("//Depot/Main/Src/"));
        assert_eq!(of("//WS/m/Src/", false).as_deref(), Some("//Depot/Main/Src/"));
        assert_eq!(of("//ws/l/", true).as_deref(), Some("//depot/Lib/"));
        assert_eq!(of("//ws/M/Src/", false), None);
        assert_eq!(of("//ws/", true), None);
    }

    #[test]
    fn swapped_wildcards_in_a_view_line_give_the_whole_line_or_one_file() {
        let line = [("//depot/%%1/src/%%2", "//ws/swap/%%2/%%1")];
        assert_eq!(met(&line, "//ws/swap/a/..."), [("//depot/".to_owned(), Extent::Below)]);
        assert_eq!(met(&line, "//ws/swap/a/b"), [("//depot/b/src/a".to_owned(), Extent::Exactly)]);
        assert_eq!(met(&line, "//ws/swap/a/b/c"), []);
    }

    #[test]
    fn depot_syntax_arguments_are_intersected_with_the_view() {
        let lines = [("//depot/main/...", "//ws/..."), ("//depot/*", "//ws/top/*")];
        let below = |text: &str| (text.to_owned(), Extent::Below);
        assert_eq!(met(&lines, "//depot/main/a/..."), [below("//depot/main/a/")]);
        let both = [below("//depot/main/"), ("//depot/".to_owned(), Extent::Directly)];
        assert_eq!(met(&lines, "//depot/..."), both);
        assert_eq!(met(&lines, "//depot/dev/..."), []);
    }

    #[test]
    fn of_an_argument_is_left_out_what_a_later_line_excludes() {
        let lines = [
            ("-//depot/early/...", "//ws/early/..."),
            ("//depot/...", "//ws/..."),
            ("-//depot/lib/...", "//ws/lib/..."),
            ("-//depot/....o", "//ws/....o"),
            ("-//depot/src/*", "//ws/src/*"),
            ("//depot/lib/own/...", "//ws/lib/own/..."),
        ];
        let excluded = ["//ws/lib/a/...", "//depot/lib/a.c", "//depot/src/*", "//ws/src/b*"];
        for argument in excluded {
            assert_eq!(met(&lines, argument), [], "{argument}");
        }
        let read = [
            ("//depot/early/...", "//depot/early/"),
            ("//ws/lib/own/...", "//depot/lib/own/"),
            ("//ws/lib/...", "//depot/lib/own/"),
            ("//ws/src/...", "//depot/src/"),
            ("//depot/main/....o", "//depot/main/"),
        ];
        for (argument, range) in read {
            assert_eq!(met(&lines, argument), [(range.to_owned(), Extent::Below)], "{argument}");
        }
    }
}
