/// Which of the paths that begin with the literal a range contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// All, subdirectories included.
    Below,
    /// Those without a slash after it: for `//depot/lib`, `//depot/lib1` but not `//depot/lib/a`.
    Directly,
    /// The one path that equals it.
    Exactly,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// In lower case if names are compared without case.
    pub literal: Vec<u8>,
    pub extent: Extent,
}

/// p4d searches tables by the literal text before the first wildcard (map/*.cc of Perforce's C++
/// API). `path` has no revision; wildcards are `...`, `*` and `%%0` to `%%9`.
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

/// The literal text before the first wildcard, and the rest.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let begins_wildcard = |(at, byte): &(usize, &u8)| {
        matches!(byte, b'.' | b'*' | b'%') && is_wildcard(path.get(*at..).unwrap_or_default())
    };
    let place = path.iter().enumerate().find(begins_wildcard).map(|(at, _)| at);
    path.split_at_checked(place.unwrap_or(path.len())).unwrap_or((path, b""))
}

fn is_wildcard(text: &[u8]) -> bool {
    text.starts_with(b"*")
        || text.starts_with(b"...")
        || text.strip_prefix(b"%%").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

fn has_dots(text: &[u8]) -> bool {
    text.windows(3).any(|three| three == b"...")
}

impl Range {
    /// `path` must be in lower case if names are compared without case.
    pub fn has(&self, path: &[u8]) -> bool {
        match (self.extent, path.strip_prefix(&self.literal[..])) {
            (_, None) => false,
            (Extent::Below, Some(_)) => true,
            (Extent::Directly, Some(rest)) => !rest.contains(&b'/'),
            (Extent::Exactly, Some(rest)) => rest.is_empty(),
        }
    }

    pub fn common(&self, other: &Range) -> Option<Range> {
        let (outer, inner) = if other.has(&self.literal) { (other, self) } else { (self, other) };
        if !outer.has(&inner.literal) {
            return None;
        }
        // A path in both ranges begins with the literal of `inner` and satisfies both extents.
        let extent = outer.extent.max(inner.extent);
        Some(Range { literal: inner.literal.clone(), extent })
    }

    /// The directory, and the beginning of a file name in it.
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
