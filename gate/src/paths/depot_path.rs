//! How much of the server a path spans: the same measure as `forms/depot_path.py`, and its limits.
//!
//! The cost of a path to p4d is lexical: p4d looks its tables up by the literal text before the
//! first wildcard (map/*.cc of Perforce's C++ API). So a path is measured by its complete literal
//! directories before the first wildcard.

/// p4d's own limits (Validate in map/*.cc of Perforce's C++ API; configurable map.maxwild).
const MAX_DOTS: usize = 3;
const MAX_WILDCARDS: usize = 10;

/// The extent of a path with a wildcard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'p> {
    /// The depot's name, or the client's.
    pub depot: &'p [u8],
    /// The complete directories below it, before the first wildcard: `main/src`.
    pub directories: &'p [u8],
    /// How many they are.
    pub depth: u64,
    /// Whether it is about the files of one directory only, and none below.
    pub one_directory: bool,
}

/// Why a path with a wildcard spans nothing that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmeasured {
    /// It is not in depot syntax, so only the client's machine and view tell.
    Local,
    /// Its first wildcard stands in the depot's name.
    EveryDepot,
    /// p4d would refuse it; the text says why.
    Malformed(&'static str),
}

/// Whether a path has a wildcard; else it is one file.
#[must_use]
pub fn has_wildcard(path: &[u8]) -> bool {
    first_wildcard(path).is_some()
}

/// Measures a path that has a wildcard, without its revision.
pub fn span(path: &[u8]) -> Result<Span<'_>, Unmeasured> {
    let below_root = path.strip_prefix(b"//").ok_or(Unmeasured::Local)?;
    let (start, end) = first_wildcard(below_root).unwrap_or((below_root.len(), below_root.len()));
    let (literal, rest) = below_root.split_at_checked(start).unwrap_or((below_root, b""));
    let slash = literal.iter().position(|byte| *byte == b'/').ok_or(Unmeasured::EveryDepot)?;
    let (depot, below) = literal.split_at_checked(slash).unwrap_or((literal, b"/"));
    let directories = below.iter().rposition(|byte| *byte == b'/').and_then(|at| below.get(1..at));
    let directories = directories.unwrap_or_default();
    let mut names = directories.split(|byte| *byte == b'/').filter(|_| !directories.is_empty());
    let hollow = below.starts_with(b"//") || names.any(is_no_name);
    if is_no_name(depot) || hollow {
        return Err(Unmeasured::Malformed("has an empty or relative directory"));
    }
    check(path, end < below_root.len())?;
    let depth = below.iter().skip(1).filter(|byte| **byte == b'/').count() as u64;
    Ok(Span { depot, directories, depth, one_directory: is_of_one_directory(rest) })
}

fn check(path: &[u8], more_than_one: bool) -> Result<(), Unmeasured> {
    let problem = if path.iter().any(u8::is_ascii_control) {
        "holds a control character"
    } else if !more_than_one {
        return Ok(());
    } else if has_too_many(path) {
        "has over 3 ... or over 10 wildcards"
    } else if has_two_side_by_side(path) {
        "has two wildcards side by side"
    } else {
        return Ok(());
    };
    Err(Unmeasured::Malformed(problem))
}

fn has_too_many(path: &[u8]) -> bool {
    let (mut rest, mut all, mut dots) = (path, 0, 0);
    while let Some((start, end)) = first_wildcard(rest) {
        all += 1;
        dots += usize::from(rest.get(start) == Some(&b'.'));
        rest = rest.get(end..).unwrap_or_default();
    }
    dots > MAX_DOTS || all > MAX_WILDCARDS
}

fn has_two_side_by_side(path: &[u8]) -> bool {
    let wildcard_at = |at: usize| path.get(at..).and_then(wildcard_bytes);
    (0..path.len()).any(|at| wildcard_at(at).is_some_and(|bytes| wildcard_at(at + bytes).is_some()))
}

/// Whether what follows the directories, its first wildcard included, stays among the files there.
fn is_of_one_directory(rest: &[u8]) -> bool {
    !rest.contains(&b'/') && !rest.windows(3).any(|three| three == b"...")
}

/// Where the first wildcard starts and ends.
pub(crate) fn first_wildcard(path: &[u8]) -> Option<(usize, usize)> {
    (0..path.len()).find_map(|at| Some((at, at + wildcard_bytes(path.get(at..)?)?)))
}

fn wildcard_bytes(text: &[u8]) -> Option<usize> {
    match text {
        [b'.', b'.', b'.', ..] | [b'%', b'%', b'0'..=b'9', ..] => Some(3),
        [b'*', ..] => Some(1),
        _ => None,
    }
}

fn is_no_name(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn depth(path: &str) -> Option<u64> {
        span(path.as_bytes()).ok().map(|span| span.depth)
    }

    #[test]
    fn only_complete_literal_directories_count() {
        assert_eq!(depth("//depot/..."), Some(0));
        assert_eq!(depth("//depot/main..."), Some(0));
        assert_eq!(depth("//depot/main/..."), Some(1));
        assert_eq!(depth("//depot/main/*/src/..."), Some(1));
        assert_eq!(depth("//depot/%%1/main/..."), Some(0));
        assert_eq!(depth("//depot/%1/..."), Some(1));
        assert_eq!(depth("//depot/a/b/....c"), Some(2));
    }

    #[test]
    fn what_has_no_measure_says_why() {
        assert_eq!(span(b"c:\\ws\\..."), Err(Unmeasured::Local));
        for path in [&b"//..."[..], b"//*/main/...", b"//depot*/...", b"//depot\\..."] {
            assert_eq!(span(path), Err(Unmeasured::EveryDepot));
        }
        for path in ["///...", "//depot//...", "//depot/../...", "//./a/...", "//depot/a//*"] {
            let relative = "has an empty or relative directory";
            assert_eq!(span(path.as_bytes()), Err(Unmeasured::Malformed(relative)), "{path}");
        }
    }

    #[test]
    fn one_directory_is_not_what_is_below_it() {
        let one = |path: &str| span(path.as_bytes()).map(|span| span.one_directory);
        assert_eq!(one("//depot/*"), Ok(true));
        assert_eq!(one("//depot/main/a*.%%1"), Ok(true));
        assert_eq!(one("//depot/*/a"), Ok(false));
        assert_eq!(
            one("//depot/*..."),
            Err(Unmeasured::Malformed("has two wildcards side by side"))
        );
        assert_eq!(one("//depot/*a..."), Ok(false));
    }

    proptest! {
        #[test]
        fn any_bytes_are_measured(path: Vec<u8>) {
            let _ = (has_wildcard(&path), span(&path));
        }

        #[test]
        fn a_directory_more_is_a_depth_more(depth in 0_usize..9, name in r"[a-z% ]{0,4}\.?[a-z]") {
            let path = format!("//depot/{}...", format!("{name}/").repeat(depth));
            prop_assert_eq!(span(path.as_bytes()).map(|span| span.depth), Ok(depth as u64));
        }
    }
}
