//! Measurement of how much of the server a depot path with wildcards spans.
//!
//! The cost of a path to p4d is lexical: p4d searches its tables by the literal text before the
//! first wildcard (map/*.cc of Perforce's C++ API). Therefore the measure is the number of complete
//! literal directories before the first wildcard.

use crate::base::visible::visible_text;
use p4warden_index::ranges::range::split;

/// Maximum number of `...` that p4d accepts in one path; `MAX_WILDCARDS` is the maximum for
/// wildcards of all kinds together (Validate in map/*.cc of Perforce's C++ API; configurable
/// map.maxwild).
const MAX_DOTS: usize = 3;
const MAX_WILDCARDS: usize = 10;

const EMPTY_OR_RELATIVE: &str = "contains // (other than at its start), /./ or /../; write single \
    slashes, and no . or .. as a directory";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'p> {
    /// Of the client in client syntax.
    pub depot: &'p [u8],
    /// Complete directories before the first wildcard, such as `main/src`.
    pub directories: &'p [u8],
    pub depth: u64,
    /// Only files directly in one directory match.
    pub one_directory: bool,
    /// The path has no wildcard and so names one file.
    pub is_exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnmeasurablePath {
    /// In local syntax the files depend on the user's machine and the client view.
    Local,
    /// The first wildcard is part of the depot's name.
    EveryDepot,
    /// p4d would reject the path; the text states the reason.
    Malformed(&'static str),
}

/// The path in a file argument without its revision. The revision starts at the first `#` or `@`;
/// file names contain these characters only in encoded form (`p4 help revisions`).
pub fn path_of(word: &[u8]) -> &[u8] {
    path_and_revision(word).0
}

/// As `path_of`; the revision begins with its `#` or `@`, and is empty without one.
pub fn path_and_revision(word: &[u8]) -> (&[u8], &[u8]) {
    let end = word.iter().position(|byte| matches!(byte, b'#' | b'@'));
    word.split_at(end.unwrap_or(word.len()))
}

/// A path without one names a single file.
pub fn has_wildcard(path: &[u8]) -> bool {
    first_wildcard(path).is_some()
}

/// The path must contain no revision.
pub fn span(path: &[u8]) -> Result<Span<'_>, UnmeasurablePath> {
    let below_root = path.strip_prefix(b"//").ok_or(UnmeasurablePath::Local)?;
    let wildcard = first_wildcard(below_root);
    let (start, end) = wildcard.unwrap_or((below_root.len(), below_root.len()));
    let (literal, rest) = below_root.split_at_checked(start).unwrap_or((below_root, b""));
    let slash = literal.iter().position(|byte| *byte == b'/');
    if slash.is_none() && wildcard.is_some() {
        return Err(UnmeasurablePath::EveryDepot);
    }
    let slash = slash.unwrap_or(literal.len());
    let (depot, below) = literal.split_at_checked(slash).unwrap_or((literal, b""));
    let directories = below.iter().rposition(|byte| *byte == b'/').and_then(|at| below.get(1..at));
    let directories = directories.unwrap_or_default();
    let mut names = directories.split(|byte| *byte == b'/').filter(|_| !directories.is_empty());
    let hollow = below.starts_with(b"//") || names.any(is_no_name);
    if is_no_name(depot) || hollow {
        return Err(UnmeasurablePath::Malformed(EMPTY_OR_RELATIVE));
    }
    check(path, end < below_root.len())?;
    let depth = below.iter().skip(1).filter(|byte| **byte == b'/').count() as u64;
    let one_directory = is_of_one_directory(rest);
    Ok(Span { depot, directories, depth, one_directory, is_exact: wildcard.is_none() })
}

impl<'p> Span<'p> {
    /// The names of `directories`.
    pub fn names(&self) -> impl Iterator<Item = &'p [u8]> {
        let directories = self.directories;
        directories.split(|byte| *byte == b'/').filter(|name| !name.is_empty())
    }
}

impl UnmeasurablePath {
    /// What is wrong with a depot path in a form, for which `span` returned this error.
    pub fn problem(self, path: &[u8], unicode: bool) -> String {
        match self {
            UnmeasurablePath::Local => {
                "does not start with // (write a path such as //depot/main/...)".to_owned()
            }
            UnmeasurablePath::EveryDepot => {
                format!("maps {}", matched_depots(path, |name| visible_text(name, unicode)))
            }
            UnmeasurablePath::Malformed(problem) => problem.to_owned(),
        }
    }
}

/// Words for the files that a path spans, if the depot's name has a wildcard.
pub fn matched_depots(path: &[u8], shown: impl Fn(&[u8]) -> String) -> String {
    match first_name(path) {
        _ if path == b"//..." => "all depots".to_owned(),
        b"..." | b"*" | [b'%', b'%', b'0'..=b'9'] => "paths in all depots".to_owned(),
        name => format!("paths in all depots that match {}", shown(name)),
    }
}

/// Whether a path has `...` anywhere but at its end.
pub fn is_embedded(path: &[u8]) -> bool {
    has_dots(path.strip_suffix(b"...").unwrap_or(path))
}

pub fn has_dots(text: &[u8]) -> bool {
    text.windows(3).any(|three| three == b"...")
}

/// The text before the first wildcard; the whole path without one.
pub fn literal_start(path: &[u8]) -> &[u8] {
    split(path).0
}

fn check(path: &[u8], more_than_one: bool) -> Result<(), UnmeasurablePath> {
    let problem = if path.iter().any(u8::is_ascii_control) {
        "contains a control character, such as a tab; remove it"
    } else if !more_than_one {
        return Ok(());
    } else if has_too_many(path) {
        "has more than 3 ... or more than 10 wildcards; write names of directories in their place"
    } else if has_two_side_by_side(path) {
        "has two wildcards side by side; keep one of them"
    } else {
        return Ok(());
    };
    Err(UnmeasurablePath::Malformed(problem))
}

/// Whether p4d would refuse the path for the number of its wildcards.
pub(crate) fn has_too_many(path: &[u8]) -> bool {
    let (mut all, mut dots) = (0, 0);
    for (start, _) in wildcards(path) {
        all += 1;
        dots += usize::from(path.get(start) == Some(&b'.'));
    }
    dots > MAX_DOTS || all > MAX_WILDCARDS
}

fn has_two_side_by_side(path: &[u8]) -> bool {
    let wildcard_at = |at: usize| {
        let three = path.get(at..)?;
        let (start, end) = first_wildcard(three.get(..3).unwrap_or(three))?;
        (start == 0).then_some(at + end)
    };
    (0..path.len()).any(|at| wildcard_at(at).is_some_and(|end| wildcard_at(end).is_some()))
}

/// `rest` begins at the first wildcard.
fn is_of_one_directory(rest: &[u8]) -> bool {
    !rest.contains(&b'/') && !has_dots(rest)
}

/// The name of the depot, or a pattern for it.
pub fn first_name(path: &[u8]) -> &[u8] {
    let rest = path.strip_prefix(b"//").unwrap_or_default();
    rest.split(|byte| *byte == b'/').next().unwrap_or_default()
}

/// Start and end byte offset.
pub fn first_wildcard(path: &[u8]) -> Option<(usize, usize)> {
    let (literal, rest) = split(path);
    let bytes = if *rest.first()? == b'*' { 1 } else { 3 };
    Some((literal.len(), literal.len() + bytes))
}

/// Start and end byte offset of each, from left to right.
pub fn wildcards(path: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let (start, end) = first_wildcard(path.get(from..)?)?;
        let span = (from + start, from + end);
        from = span.1;
        Some(span)
    })
}

fn is_no_name(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_span_of_one_directory_has_wildcards_only_in_its_file_name() {
        let one = |path: &str| span(path.as_bytes()).map(|span| span.one_directory);
        assert_eq!(one("//depot/*"), Ok(true));
        assert_eq!(one("//depot/main/a*.%%1"), Ok(true));
        assert_eq!(one("//depot/*/a"), Ok(false));
        assert_eq!(
            one("//depot/*..."),
            Err(UnmeasurablePath::Malformed("has two wildcards side by side; keep one of them"))
        );
        assert_eq!(one("//depot/*a..."), Ok(false));
    }

    /// Start and end of each wildcard, from left to right.
    fn plain_wildcards(text: &str) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for at in 0..text.len() {
            let bytes = match text.as_bytes().get(at..).unwrap_or_default() {
                [b'*', ..] => 1,
                [b'.', b'.', b'.', ..] | [b'%', b'%', b'0'..=b'9', ..] => 3,
                _ => continue,
            };
            if found.last().is_none_or(|(_, end)| *end <= at) {
                found.push((at, at + bytes));
            }
        }
        found
    }

    const PIECES: [&str; 11] = ["...", "..", ".", "*", "%%1", "%%", "%", "%%%2", "9", "a", "/"];

    fn pieces() -> impl Strategy<Value = String> {
        let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..15);
        pieces.prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn the_first_wildcard_is_the_leftmost_one(text in pieces()) {
            prop_assert_eq!(first_wildcard(text.as_bytes()), plain_wildcards(&text).first().copied());
        }

        #[test]
        fn too_many_wildcards_and_neighbours_are_malformed(text in pieces()) {
            let path = format!("//depot/a*/{text}z");
            let is_hollow = path.split('/').skip(2).any(|name| matches!(name, "" | "." | ".."));
            prop_assume!(!is_hollow);
            let found = plain_wildcards(&path);
            let is_dots = |(start, _): &&(usize, usize)| path.as_bytes().get(*start) == Some(&b'.');
            let too_many = found.len() > 10 || found.iter().filter(is_dots).count() > 3;
            // Within a run of dots, two wildcards may stand side by side in several places.
            let starts = |at: usize| path.get(at..).and_then(|rest| plain_wildcards(rest).first().copied());
            let neighbour = |at: usize| {
                starts(at).filter(|(start, _)| *start == 0).map(|(_, end)| at + end)
            };
            let is_pair = (0..path.len()).any(|at| {
                neighbour(at).is_some_and(|end| neighbour(end).is_some())
            });
            let problem = match span(path.as_bytes()) {
                Err(UnmeasurablePath::Malformed(problem)) => problem,
                _ => "",
            };
            prop_assert_eq!(problem.contains("more than 3"), too_many, "{}", path);
            prop_assert_eq!(problem.contains("side by side"), is_pair && !too_many, "{}", path);
        }

        #[test]
        fn arbitrary_bytes_are_measured_without_a_panic(path: Vec<u8>) {
            let _ = (has_wildcard(&path), span(&path));
        }

        #[test]
        fn the_depth_is_the_number_of_directories(
            depth in 0_usize..9,
            name in r"[a-z% ]{0,4}\.?[a-z]",
        ) {
            let path = format!("//depot/{}...", format!("{name}/").repeat(depth));
            prop_assert_eq!(span(path.as_bytes()).map(|span| span.depth), Ok(depth as u64));
        }
    }
}
