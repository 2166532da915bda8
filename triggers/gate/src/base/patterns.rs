//! Matching of names, such as those of users, groups, clients and programs, against patterns: `*`
//! matches any text, `?` matches one character, every other character itself.
//!
//! `core/patterns.py` matches alike; both run the shared cases of exemptions.

/// The number of steps grows at most with the product of the two lengths, whatever the pattern.
pub fn matches(pattern: &[u8], name: &[u8], case_sensitive: bool) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut restart = None;
    while place < name.len() {
        let name_character = character(name, place);
        match pattern.get(at) {
            Some(b'*') => {
                restart = Some((at + 1, place));
                at += 1;
            }
            Some(b'?') => (at, place) = (at + 1, place + name_character.len()),
            Some(_) if is_same(character(pattern, at), name_character, case_sensitive) => {
                (at, place) = (at + name_character.len(), place + name_character.len());
            }
            _ => {
                let Some((after, from)) = restart else {
                    return false;
                };
                let next = from + character(name, from).len();
                restart = Some((after, next));
                (at, place) = (after, next);
            }
        }
    }
    pattern.iter().skip(at).all(|byte| *byte == b'*')
}

/// Without `case_sensitive`, ASCII letters are equal in either case.
pub fn is_same(one: &[u8], other: &[u8], case_sensitive: bool) -> bool {
    if case_sensitive { one == other } else { one.eq_ignore_ascii_case(other) }
}

/// Whether a server may take two names for one: `is_same`, or, on a server that ignores case, equal
/// but for the case of letters beyond ASCII. For decisions that count or refuse, not for those that
/// allow.
pub fn may_be_same(one: &[u8], other: &[u8], case_sensitive: bool) -> bool {
    if is_same(one, other, case_sensitive) {
        return true;
    }
    !case_sensitive && counted_name(one, false) == counted_name(other, false)
}

/// A name as it counts: names that a server may take for one are equal.
pub fn counted_name(name: &[u8], case_sensitive: bool) -> std::borrow::Cow<'_, [u8]> {
    if case_sensitive || name.is_ascii() {
        return folded_name(name, case_sensitive);
    }
    let mut counted = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        counted.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        counted.extend_from_slice(chunk.invalid());
    }
    counted.into()
}

pub fn folded_name(name: &[u8], case_sensitive: bool) -> std::borrow::Cow<'_, [u8]> {
    if case_sensitive { name.into() } else { name.to_ascii_lowercase().into() }
}

/// An invalid byte counts as one character.
fn character(text: &[u8], place: usize) -> &[u8] {
    let rest = text.get(place..).unwrap_or_default();
    let length = match rest.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => return rest.get(..1).unwrap_or_default(),
    };
    let character = rest.get(..length).filter(|bytes| str::from_utf8(bytes).is_ok());
    character.or_else(|| rest.get(..1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reference implementation of pattern matching by plain recursion, with which the property
    /// test compares `matches`.
    fn plainly(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((&'*', rest)), _) => {
                (0..=name.len()).any(|skip| plainly(rest, name.get(skip..).unwrap_or_default()))
            }
            (Some((&p, rest)), Some((&n, tail))) => (p == '?' || p == n) && plainly(rest, tail),
            _ => false,
        }
    }

    #[test]
    fn a_question_mark_matches_one_character_or_one_invalid_byte() {
        assert!(matches(b"?", "€".as_bytes(), true));
        assert!(!matches(b"*??", "€".as_bytes(), true));
        assert!(matches(b"??", b"\xE2\x82", true));
    }

    proptest! {
        #[test]
        fn matches_agrees_with_a_plain_reference_implementation(
            pattern in "[ab*?é€]{0,8}",
            name in "[abé€]{0,8}",
        ) {
            let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
            prop_assert_eq!(matches(pattern.as_bytes(), name.as_bytes(), true), plainly(&p, &n));
        }

        #[test]
        fn a_match_with_case_is_also_a_match_without_case(pattern: Vec<u8>, name: Vec<u8>) {
            prop_assert!(matches(b"*", &name, false));
            // Property: a pattern that matches a name with case distinguished also matches it with
            // case ignored.
            prop_assert!(!matches(&pattern, &name, true) || matches(&pattern, &name, false));
        }
    }
}
