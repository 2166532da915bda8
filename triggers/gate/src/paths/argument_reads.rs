//! The records that p4d reads for one file argument of a command: by the table of bounds, the
//! command's options and the argument's revision.
//!
//! The answer serves both rules about scans. `Narrow` and `Latest` are certainly cheap, `Path` is as
//! dear as the path, and `Unknown` is neither.

use crate::base::text::number;
use crate::paths::command_bounds::{CommandBounds, MOST_LATEST, Reads, SeenOptions};
use crate::paths::command_options::DefaultFiles;
use crate::paths::depot_path::has_wildcard;
use crate::paths::revision::{EVERYTHING, Point, Range, Revision, revision_of};

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

/// The path may be empty for a command that needs files, and then stands for all files.
pub fn of_argument<'a>(
    bounds: &CommandBounds,
    seen: &SeenOptions<'a>,
    path: &[u8],
    revision: &'a [u8],
) -> ArgumentReads<'a> {
    if matches!(bounds.of_path(), Reads::Stream | Reads::Unknown) {
        return ArgumentReads::Unknown;
    }
    match bounds.of_options(seen, true) {
        Some(Reads::Unknown) => ArgumentReads::Unknown,
        Some(Reads::Opened | Reads::Nothing) => ArgumentReads::Narrow,
        Some(Reads::Named) if has_wildcard(path) => ArgumentReads::Unknown,
        Some(reads @ (Reads::Changelists | Reads::ChangelistsFrom)) => of_change(seen, reads),
        Some(Reads::Latest) if revision.is_empty() && is_without_suffix(path) => seen
            .most
            .filter(|most| *most <= MOST_LATEST)
            .map_or(ArgumentReads::Path, ArgumentReads::Latest),
        Some(Reads::Latest) if is_without_suffix(path) && is_single(revision) => {
            let reads = bounds.of_form("-m N PATH@N");
            reads.map_or(ArgumentReads::Path, |_| ArgumentReads::Unknown)
        }
        _ => of_revision(bounds, revision),
    }
}

/// Whether a revision is all up to a changelist, a date or the newest.
fn is_single(revision: &[u8]) -> bool {
    matches!(
        revision_of(revision),
        Revision::Newest | Revision::UpTo(Point::Change(_) | Point::Date(_))
    )
}

/// The records that a command reads without a path, perhaps with a bare revision.
pub fn without_path<'a>(
    bounds: &CommandBounds,
    seen: &SeenOptions<'a>,
    revision: &'a [u8],
) -> ArgumentReads<'a> {
    let asked = revision_of(revision);
    match bounds.without_files(seen) {
        Some(Reads::View) => of_argument(bounds, seen, b"", revision),
        Some(Reads::Latest) if asked == Revision::Newest => {
            let most = seen.most.filter(|most| *most <= MOST_LATEST);
            most.map_or(ArgumentReads::ChangelistRecords(EVERYTHING), ArgumentReads::Latest)
        }
        // No document says whether p4d then reads back from the end of the range, or all of it.
        Some(Reads::Latest) if asked != Revision::Other => ArgumentReads::Unknown,
        Some(Reads::Latest | Reads::ChangelistRecords) => {
            ArgumentReads::ChangelistRecords(match asked {
                Revision::Unclear => return ArgumentReads::Unknown,
                Revision::Range(range) => range,
                Revision::UpTo(last) | Revision::AtMost(last) => {
                    Range { last: Some(last), ..EVERYTHING }
                }
                Revision::Newest | Revision::Nothing | Revision::Other => EVERYTHING,
            })
        }
        Some(Reads::Opened | Reads::Nothing) => ArgumentReads::Narrow,
        None if bounds.default_files() == DefaultFiles::NeedsFiles => {
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
    let reads = |form| bounds.of_form(form);
    match revision_of(revision) {
        Revision::Range(range) if reads("PATH@N,M") == Some(Reads::Changelists) => {
            ArgumentReads::Changelists(range)
        }
        Revision::Unclear => ArgumentReads::Unknown,
        Revision::UpTo(Point::Name(name)) if reads("PATH@LABEL") == Some(Reads::Label) => {
            ArgumentReads::Label(name)
        }
        Revision::Nothing => {
            reads("PATH#none").map_or(ArgumentReads::Path, |_| ArgumentReads::Unknown)
        }
        _ => ArgumentReads::Path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_counts_only_where_nothing_makes_p4d_read_on() {
        let of = |args: &str, path: &str, revision: &'static str| {
            let bounds = CommandBounds::of(b"changes");
            let line = crate::paths::command_line::CommandLine::read(&bounds, args.as_bytes());
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
