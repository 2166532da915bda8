//! The records that p4d reads for one file argument of a command: by the table of bounds, the
//! command's options and the argument's revision.
//!
//! The answer serves both rules about scans. `Narrow` and `Latest` are certainly cheap, `Path` is as
//! dear as the path, and `Unknown` is neither.

use crate::paths::command_bounds::{CommandBounds, MOST_LATEST, Reads, SeenOptions, number};
use crate::paths::command_options::{DefaultFiles, options_of};
use crate::paths::depot_path::has_wildcard;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentReads<'a> {
    /// All that the argument's path covers.
    Path,
    /// Records of a range of changelists, or all that the path covers, if that is less.
    Changelists(Range<'a>),
    /// Files of a label, or all that the path covers, if that is less.
    Label(&'a [u8]),
    Latest(u64),
    /// Changelists without their files.
    ChangelistRecords(Range<'a>),
    /// Few records: opened files, or none.
    Narrow,
    Unknown,
}

/// A range of changelists, up to the newest if `last` is None.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<'a> {
    pub first: Point<'a>,
    pub last: Option<Point<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point<'a> {
    Change(u64),
    /// A date, such as `2026/01/31` or `2026/01/31:12:00:00`, in the server's local time.
    Date(&'a [u8]),
    /// The name of a label or of something else.
    Name(&'a [u8]),
}

/// The greatest difference between the numbers of two changelists for which a range that begins with
/// the first changelist does not count as the whole history; p4warden's own choice.
const MOST_CHANGES: u64 = 1_000;
pub const EVERYTHING: Range<'static> = Range { first: Point::Change(0), last: None };

impl Range<'_> {
    #[must_use]
    pub fn is_everything(&self) -> bool {
        let is_long = match self.last {
            Some(Point::Change(last)) => last > MOST_CHANGES + 1,
            _ => true,
        };
        is_long && matches!(self.first, Point::Change(0 | 1))
    }
}

/// The path may be empty for a command that needs files, and then stands for all files.
#[must_use]
pub fn of_argument<'a>(
    bounds: &CommandBounds,
    seen: &SeenOptions<'a>,
    path: &[u8],
    revision: &'a [u8],
) -> ArgumentReads<'a> {
    if bounds.of_path() == Reads::Unknown {
        return ArgumentReads::Unknown;
    }
    match bounds.of_options(seen, true) {
        Some(Reads::Unknown) => ArgumentReads::Unknown,
        Some(Reads::Opened) => ArgumentReads::Narrow,
        Some(Reads::Named) if has_wildcard(path) => ArgumentReads::Unknown,
        Some(reads @ (Reads::Changelists | Reads::ChangelistsFrom)) => of_change(seen, reads),
        Some(Reads::Latest) if revision.is_empty() && is_without_suffix(path) => seen
            .most
            .filter(|most| *most <= MOST_LATEST)
            .map_or(ArgumentReads::Path, ArgumentReads::Latest),
        Some(Reads::Latest) if is_without_suffix(path) && is_up_to_change(revision) => {
            let reads = bounds.of_revision("-m N PATH@N");
            reads.map_or(ArgumentReads::Path, |_| ArgumentReads::Unknown)
        }
        _ => of_revision(bounds, revision),
    }
}

fn is_up_to_change(revision: &[u8]) -> bool {
    matches!(revision_of(revision), Revision::UpTo(Point::Change(_)))
}

/// The records that a command reads without a path, perhaps with a bare revision.
#[must_use]
pub fn without_path<'a>(
    command: &[u8],
    bounds: &CommandBounds,
    seen: &SeenOptions<'a>,
    revision: &'a [u8],
) -> ArgumentReads<'a> {
    match bounds.without_files(seen) {
        Some(Reads::View) => of_argument(bounds, seen, b"", revision),
        Some(Reads::Latest) if revision.is_empty() => {
            let most = seen.most.filter(|most| *most <= MOST_LATEST);
            most.map_or(ArgumentReads::ChangelistRecords(EVERYTHING), ArgumentReads::Latest)
        }
        Some(Reads::Latest | Reads::ChangelistRecords) => {
            ArgumentReads::ChangelistRecords(match revision_of(revision) {
                Revision::From(range) if !range.is_everything() => return ArgumentReads::Unknown,
                Revision::Range(range) => range,
                Revision::UpTo(last) => Range { last: Some(last), ..EVERYTHING },
                Revision::From(_) | Revision::Other => EVERYTHING,
            })
        }
        Some(Reads::Opened) => ArgumentReads::Narrow,
        None if options_of(command).default_files == DefaultFiles::NeedsFiles => {
            if revision.is_empty() {
                ArgumentReads::Narrow
            } else {
                of_argument(bounds, seen, b"//...", revision)
            }
        }
        _ => ArgumentReads::Unknown,
    }
}

/// Whether no text follows the path's first wildcard, so that a changelist of the path is found
/// soon.
fn is_without_suffix(path: &[u8]) -> bool {
    !has_wildcard(path) || path.strip_suffix(b"...").is_some_and(|start| !has_wildcard(start))
}

fn of_change<'a>(seen: &SeenOptions<'a>, reads: Reads) -> ArgumentReads<'a> {
    let change = seen.change.unwrap_or_default();
    match number(change) {
        Some(change) => {
            let first = Point::Change(change);
            let last = (reads == Reads::Changelists).then_some(first);
            ArgumentReads::Changelists(Range { first, last })
        }
        None if change == b"default" && reads == Reads::Changelists => ArgumentReads::Narrow,
        None => ArgumentReads::Unknown,
    }
}

fn of_revision<'a>(bounds: &CommandBounds, revision: &'a [u8]) -> ArgumentReads<'a> {
    let reads = |form| bounds.of_revision(form);
    match revision_of(revision) {
        Revision::Range(range) if reads("PATH@N,M") == Some(Reads::Changelists) => {
            ArgumentReads::Changelists(range)
        }
        Revision::From(range) if !range.is_everything() => {
            reads("PATH@>=N").map_or(ArgumentReads::Path, |_| ArgumentReads::Unknown)
        }
        Revision::UpTo(Point::Name(name)) if reads("PATH@LABEL") == Some(Reads::Label) => {
            ArgumentReads::Label(name)
        }
        Revision::Other if matches!(revision, b"#none" | b"#0") => {
            reads("PATH#none").map_or(ArgumentReads::Path, |_| ArgumentReads::Unknown)
        }
        _ => ArgumentReads::Path,
    }
}

/// The revision of a file argument, as far as it bounds changelists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision<'a> {
    /// A range with a first changelist (`@=N`, `@N,M`).
    Range(Range<'a>),
    /// All from a changelist, date or label on, in a form that no document has (`@>=N`).
    From(Range<'a>),
    /// A single changelist, date or label, up to which all changelists count.
    UpTo(Point<'a>),
    /// None, or one that bounds nothing, such as `#head` or `@<=N`.
    Other,
}

/// Parses a revision, from its `#` or `@` on. The second end of a range that is neither a number nor
/// a date (`#head`, `@now`, a label) counts as the newest changelist.
#[must_use]
pub fn revision_of(revision: &[u8]) -> Revision<'_> {
    let Some(text) = revision.strip_prefix(b"@") else {
        return Revision::Other;
    };
    if let Some(one) = text.strip_prefix(b"=") {
        let one = number(one).map(Point::Change);
        return one
            .map_or(Revision::Other, |one| Revision::Range(Range { first: one, last: Some(one) }));
    }
    let (text, is_from) = match text.strip_prefix(b">") {
        Some(rest) => (rest.strip_prefix(b"=").unwrap_or(rest), true),
        None => (text, false),
    };
    let mut ends = text.splitn(2, |byte| *byte == b',');
    let Some(first) = ends.next().and_then(point) else {
        return Revision::Other;
    };
    let Some(last) = ends.next() else {
        return match is_from {
            true => Revision::From(Range { first, last: None }),
            false => Revision::UpTo(first),
        };
    };
    let last = point(last.strip_prefix(b"@").unwrap_or(last));
    let last = last.filter(|last| !matches!(last, Point::Name(_)));
    let range = Range { first, last };
    if is_from { Revision::From(range) } else { Revision::Range(range) }
}

fn point(text: &[u8]) -> Option<Point<'_>> {
    let is_of_date = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'/' | b':');
    match text {
        b"" | b"now" | [b'<' | b'>' | b'=' | b'#' | b'@', ..] => None,
        _ if number(text).is_some() => number(text).map(Point::Change),
        _ if text.iter().all(is_of_date) && text.contains(&b'/') => Some(Point::Date(text)),
        _ => Some(Point::Name(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_changelists_are_told_from_other_revisions() {
        let change = |first, last: Option<u64>| {
            let last = last.map(Point::Change);
            Revision::Range(Range { first: Point::Change(first), last })
        };
        assert_eq!(revision_of(b"@=12"), change(12, Some(12)));
        assert_eq!(revision_of(b"@100,@110"), change(100, Some(110)));
        for from in ["@>=5", "@>5", "@>=5,@now"] {
            let range = Range { first: Point::Change(5), last: None };
            assert_eq!(revision_of(from.as_bytes()), Revision::From(range), "{from}");
        }
        for newest in ["@5,#head", "@5,now", "@5,@now", "@5,@nightly", "@5,#have"] {
            assert_eq!(revision_of(newest.as_bytes()), change(5, None), "{newest}");
        }
        let date = Point::Date(b"2026/01/02:10:00:00");
        assert_eq!(revision_of(b"@2026/01/02:10:00:00"), Revision::UpTo(date));
        assert_eq!(revision_of(b"@12"), Revision::UpTo(Point::Change(12)));
        assert_eq!(revision_of(b"@12a"), Revision::UpTo(Point::Name(b"12a")));
        for other in ["", "#head", "#1,#3", "@<=7", "@>", "@now", "@", "@=12,@now", "@=x"] {
            assert_eq!(revision_of(other.as_bytes()), Revision::Other, "{other}");
        }
    }

    #[test]
    fn a_limit_counts_only_where_nothing_makes_p4d_read_on() {
        let of = |args: &str, path: &str, revision: &'static str| {
            let bounds = CommandBounds::of(b"changes");
            let line =
                crate::paths::command_line::CommandLine::read(b"changes", &bounds, args.as_bytes());
            let [reading] = &line.readings[..] else { return ArgumentReads::Unknown };
            match of_argument(&bounds, &reading.seen, path.as_bytes(), revision.as_bytes()) {
                ArgumentReads::Latest(most) => ArgumentReads::Latest(most),
                ArgumentReads::Path => ArgumentReads::Path,
                _ => ArgumentReads::Unknown,
            }
        };
        let latest = ArgumentReads::Latest(5);
        for args in ["-m5", "-m 5 -s submitted -l", "--max=5 -tL", "--max 5 --status=submitted"] {
            assert_eq!(of(args, "//depot/...", ""), latest, "{args}");
        }
        for args in ["", "-m0", "-m 20000", "-m5 -u ann", "-m5 -i", "-m5 -s pending", "-m x"] {
            assert_eq!(of(args, "//depot/...", ""), ArgumentReads::Path, "{args}");
        }
        assert_eq!(of("-m5", "//depot/...", "@7"), ArgumentReads::Unknown);
        for (path, revision) in [
            ("//depot/....cs", "@7"),
            ("//depot/....cs", ""),
            ("//depot/*/...", ""),
            ("//depot/...", "@<=7"),
        ] {
            assert_eq!(of("-m5", path, revision), ArgumentReads::Path, "{path}{revision}");
        }
    }
}
