//! Computes the part of a client's view that a file argument covers, as ranges of depot paths.

use crate::base::order::{folded_key, is_same};
use crate::file::client::ViewLine;
use crate::ranges::pattern::translate;
use crate::ranges::range::{Extent, Range, range, split};

/// For each line of a view, the range of depot paths that p4d reads for the line. Exclusions are
/// not subtracted, because p4d reads excluded files too.
#[must_use]
pub fn ranges(view: &[ViewLine], folds: bool) -> Vec<Range> {
    view.iter().map(|line| range(&line.depot, folds)).collect()
}

#[must_use]
pub fn ranges_of_depot_argument(view: &[ViewLine], argument: &[u8], folds: bool) -> Vec<Range> {
    let argument_range = range(argument, folds);
    ranges(view, folds).iter().filter_map(|one| one.common(&argument_range)).collect()
}

/// The ranges of depot paths that an argument in client syntax (`//client/dir/...`) covers through
/// a view; they may contain further paths.
#[must_use]
pub fn ranges_of_client_argument(view: &[ViewLine], argument: &[u8], folds: bool) -> Vec<Range> {
    ranges_among(view, &client_literals(view), argument, folds)
}

/// For each line of a view, the number of bytes on its client side before the first wildcard.
#[must_use]
pub fn client_literals(view: &[ViewLine]) -> Vec<usize> {
    view.iter().map(|line| split(&line.client).0.len()).collect()
}

/// The same as `ranges_of_client_argument`, for one of many arguments; `literals` are those of
/// `client_literals`.
#[must_use]
pub fn ranges_among(
    view: &[ViewLine],
    literals: &[usize],
    argument: &[u8],
    folds: bool,
) -> Vec<Range> {
    let argument_range = range(argument, folds);
    let through = |(line, bytes): (&ViewLine, &usize)| {
        // Most view lines map other directories; they are skipped before anything is copied.
        let literal = line.client.get(..*bytes)?;
        is_nested(literal, &argument_range.literal, folds)
            .then(|| range_through(line, &argument_range, folds))?
    };
    view.iter().zip(literals).filter_map(through).collect()
}

/// The depot directory that a view maps to a client directory (in client syntax, with a slash at
/// the end), as the view and the client directory spell it. None unless exactly one view line maps
/// a part of the client directory, and that line maps a whole depot directory to this part.
#[must_use]
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

/// Whether one of two texts begins with the other, as the fixed texts of two overlapping path
/// ranges do; case is ignored if `folds`.
fn is_nested(one: &[u8], other: &[u8], folds: bool) -> bool {
    let bytes = one.len().min(other.len());
    let (one, other) = (one.get(..bytes), other.get(..bytes));
    let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
    if folds { one.eq_ignore_ascii_case(other) } else { is_same(one, other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(lines: &[(&str, &str)]) -> Vec<ViewLine> {
        let line = |(depot, client): &(&str, &str)| ViewLine {
            number: 0,
            depot: depot.as_bytes().to_vec(),
            client: client.as_bytes().to_vec(),
        };
        lines.iter().map(line).collect()
    }

    fn met(lines: &[(&str, &str)], argument: &str) -> Vec<(String, Extent)> {
        let ranges = ranges_of_client_argument(&view(lines), argument.as_bytes(), false);
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
            view(&[("//Depot/Main/...", "//WS/m/..."), ("//depot/Lib/...", "//ws/L/in/...")]);
        let of = |directory: &str, folds| {
            let directory_name = directory_in_depot(&lines, directory.as_bytes(), folds)?;
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
        let lines = view(&[("//depot/main/...", "//ws/..."), ("//depot/*", "//ws/top/*")]);
        let ranges_of =
            |argument: &str| ranges_of_depot_argument(&lines, argument.as_bytes(), false);
        let literal = |text: &str, extent| Range { literal: text.into(), extent };
        assert_eq!(ranges_of("//depot/main/a/..."), [literal("//depot/main/a/", Extent::Below)]);
        let both = [literal("//depot/main/", Extent::Below), literal("//depot/", Extent::Directly)];
        assert_eq!(ranges_of("//depot/..."), both);
        assert_eq!(ranges_of("//depot/dev/..."), []);
    }
}
