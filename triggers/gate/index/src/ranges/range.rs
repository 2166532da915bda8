//! The range of sorted paths that the server reads for a path with wildcards.

/// The kind of a path range: which of the paths that begin with the range's literal (the text
/// before the first wildcard) it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// Range of all paths that begin with the literal, subdirectories included.
    Below,
    /// Range of the paths that begin with the literal and have no slash after it: for the literal
    /// `//depot/lib`, for example, `//depot/lib1` but not `//depot/lib/a`.
    Directly,
    /// Range of the one path that equals the literal, a path without wildcards.
    Exactly,
}

/// A range of paths in a database table sorted by path: those that the server reads for a path with
/// wildcards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// The fixed text at the start of all paths in the range, in lower case if names are compared
    /// without case.
    pub literal: Vec<u8>,
    /// The kind of range: which paths it contains of those that begin with the literal.
    pub extent: Extent,
}

/// The range of paths that p4d reads for `path`, a path without revision: p4d searches tables by
/// the literal text before the first wildcard (map/*.cc of Perforce's C++ API). Wildcards are
/// `...`, `*` and `%%0` to `%%9`.
#[must_use]
pub fn range(path: &[u8], folds: bool) -> Range {
    let (literal, rest) = split(path);
    let extent = if rest.is_empty() {
        Extent::Exactly
    } else if rest.contains(&b'/') || has_dots(rest) {
        Extent::Below
    } else {
        Extent::Directly
    };
    Range { literal: crate::base::order::folded_key(literal, folds), extent }
}

/// Splits a path into the literal text before its first wildcard (`*`, `...`, or `%%0` to `%%9`)
/// and the rest, which is empty if the path has no wildcard.
#[must_use]
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let begins_wildcard = |(at, byte): &(usize, &u8)| {
        matches!(byte, b'.' | b'*' | b'%') && is_wildcard(path.get(*at..).unwrap_or_default())
    };
    let place = path.iter().enumerate().find(begins_wildcard).map(|(at, _)| at);
    path.split_at_checked(place.unwrap_or(path.len())).unwrap_or((path, b""))
}

/// Whether a text begins with a wildcard: `*`, `...` or `%%n`.
fn is_wildcard(text: &[u8]) -> bool {
    text.starts_with(b"*")
        || text.starts_with(b"...")
        || text.strip_prefix(b"%%").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

fn has_dots(text: &[u8]) -> bool {
    text.windows(3).any(|three| three == b"...")
}

impl Range {
    /// Whether the range contains `path`, which must be in lower case if names are compared without
    /// case.
    #[must_use]
    pub fn has(&self, path: &[u8]) -> bool {
        match (self.extent, path.strip_prefix(&self.literal[..])) {
            (_, None) => false,
            (Extent::Below, Some(_)) => true,
            (Extent::Directly, Some(rest)) => !rest.contains(&b'/'),
            (Extent::Exactly, Some(rest)) => rest.is_empty(),
        }
    }

    /// The paths that are in both of two ranges, as a range; None if there are none.
    #[must_use]
    pub fn common(&self, other: &Range) -> Option<Range> {
        let (outer, inner) = if other.has(&self.literal) { (other, self) } else { (self, other) };
        if !outer.has(&inner.literal) {
            return None;
        }
        // The common range has the literal of `inner` and the narrower extent of the two, because a
        // path in both ranges begins with that literal and satisfies both extents.
        let extent = outer.extent.max(inner.extent);
        Some(Range { literal: inner.literal.clone(), extent })
    }

    /// Splits the range's literal after its last slash into the directory and the beginning of a
    /// file name in that directory.
    #[must_use]
    pub fn directory(&self) -> (&[u8], &[u8]) {
        let slash = self.literal.iter().rposition(|byte| *byte == b'/');
        self.literal.split_at_checked(slash.map_or(0, |at| at + 1)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts_of(path: &str) -> (String, Extent) {
        let range = range(path.as_bytes(), false);
        (String::from_utf8_lossy(&range.literal).into_owned(), range.extent)
    }

    #[test]
    fn ranges_of_paths_have_the_expected_literal_and_extent() {
        let cases = [
            ("//depot/main/...", "//depot/main/", Extent::Below),
            ("//depot/main...", "//depot/main", Extent::Below),
            ("//depot/*/main/...", "//depot/", Extent::Below),
            ("//depot/*/x", "//depot/", Extent::Below),
            ("//depot/....c", "//depot/", Extent::Below),
            ("//depot/lib*....c", "//depot/lib", Extent::Below),
            ("//depot/%%0/a", "//depot/", Extent::Below),
            ("//depot/a%%1", "//depot/a", Extent::Directly),
            ("//depot/*", "//depot/", Extent::Directly),
            ("//depot/lib*.c", "//depot/lib", Extent::Directly),
            ("//...", "//", Extent::Below),
            ("//*/main/...", "//", Extent::Below),
            ("//depot/main/README", "//depot/main/README", Extent::Exactly),
            ("//depot/100%1%2A..x", "//depot/100%1%2A..x", Extent::Exactly),
        ];
        for (path, literal, extent) in cases {
            assert_eq!(parts_of(path), (literal.to_owned(), extent), "{path}");
        }
    }

    proptest! {
        #[test]
        fn the_common_range_has_exactly_the_paths_of_both_ranges(
            one in "[ab/]{0,4}", other in "[ab/]{0,4}", path in "[ab/]{0,6}",
            extents in prop::array::uniform2(prop::sample::select(vec![Extent::Below, Extent::Directly, Extent::Exactly])),
        ) {
            let one = Range { literal: one.into(), extent: extents[0] };
            let other = Range { literal: other.into(), extent: extents[1] };
            let common = one.common(&other);
            let is_in_common = common.is_some_and(|common| common.has(path.as_bytes()));
            prop_assert_eq!(is_in_common, one.has(path.as_bytes()) && other.has(path.as_bytes()));
        }
    }
}
