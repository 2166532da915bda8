//! Words in capitals, for names in proposed lines that only the user knows.
//!
//! A view line with such a word maps nothing, and p4d accepts it silently; so `limit_view_scope` and
//! `limit_path_length` object to their own words.

use crate::base::patterns::is_same;
use crate::facts::known_depots::KnownDepots;
use std::collections::BTreeMap;

pub const DIRECTORY: &str = "DIRECTORY";
pub const DEPOT: &str = "DEPOT";
pub const SHORT: &str = "SHORT";
/// A stream's depot path, in a command.
pub const STREAM: &str = "STREAM";
/// A new client's name, in a command.
pub const NAME: &str = "NAME";
/// Start of the client paths in a policy's views; stands for `//`, the client's name and `/`.
pub const CLIENT: &str = "//CLIENT/";

pub const WIDER_WORDS: &[&str] = &[DIRECTORY, DEPOT];
pub const LONGER_WORDS: &[&str] = &[SHORT];

/// The number of a depot's name among the texts between a path's slashes.
const DEPOT_AT: usize = 2;

/// The offset of each placeholder in a path, and its word.
///
/// The word for a depot counts only as a depot's name; a directory may be called DEPOT.
pub fn placeholders(
    path: &[u8],
    words: &'static [&'static str],
) -> impl Iterator<Item = (usize, &'static str)> {
    let is_depot_path = path.starts_with(b"//");
    let mut start = 0;
    path.split(|byte| *byte == b'/').enumerate().filter_map(move |(number, name)| {
        let at = start;
        start += name.len() + 1;
        let word = words.iter().find(|word| word.as_bytes() == name).filter(|_| number > 0)?;
        (*word != DEPOT || (number == DEPOT_AT && is_depot_path)).then_some((at, *word))
    })
}

pub fn has_placeholder(path: &[u8], words: &'static [&'static str]) -> bool {
    placeholders(path, words).next().is_some()
}

/// The part of a path before the slash in front of its first placeholder; all of it without one.
pub fn before_placeholder(path: &[u8]) -> &[u8] {
    let slash = placeholders(path, WIDER_WORDS).next().and_then(|(at, _)| at.checked_sub(1));
    path.get(..slash.unwrap_or(path.len())).unwrap_or_default()
}

/// A path with `*` in place of each placeholder for a depot or a directory.
pub fn as_wildcards(path: &[u8]) -> Vec<u8> {
    with_stars(path, placeholders(path, WIDER_WORDS).map(|(at, word)| (at, at + word.len())))
}

/// A proposed line with a name in place of each placeholder.
pub fn with_names(line: &str) -> String {
    let named = |part: &str| {
        let before = [DIRECTORY, DEPOT, SHORT].iter().find_map(|word| part.strip_suffix(word));
        match before.filter(|before| before.is_empty() || before.ends_with(' ')) {
            Some(before) => format!("{before}n"),
            None => part.to_owned(),
        }
    };
    line.split('/').map(named).collect::<Vec<_>>().join("/")
}

/// A text with `*` in place of each of these parts, which are in order.
pub(super) fn with_stars(text: &[u8], parts: impl Iterator<Item = (usize, usize)>) -> Vec<u8> {
    let (mut result, mut rest_at) = (Vec::with_capacity(text.len()), 0);
    for (start, end) in parts {
        result.extend_from_slice(text.get(rest_at..start).unwrap_or_default());
        result.push(b'*');
        rest_at = end;
    }
    result.extend_from_slice(text.get(rest_at..).unwrap_or_default());
    result
}

/// Finds placeholder words that a user left in the paths of one form.
///
/// A word that is the real name of a depot or a top directory is none. Each word is looked up once,
/// because forms have many lines, and servers many directories.
pub struct PlaceholderFinder<'f> {
    words: &'static [&'static str],
    depots: &'f KnownDepots<'f>,
    case_sensitive: bool,
    is_name: BTreeMap<&'static str, bool>,
}

impl<'f> PlaceholderFinder<'f> {
    pub fn new(
        words: &'static [&'static str],
        depots: &'f KnownDepots<'f>,
        case_sensitive: bool,
    ) -> Self {
        PlaceholderFinder { words, depots, case_sensitive, is_name: BTreeMap::new() }
    }

    pub fn first(&mut self, path: &[u8]) -> Option<&'static str> {
        placeholders(path, self.words).map(|(_, word)| word).find(|word| !self.is_name(word))
    }

    fn is_name(&mut self, word: &'static str) -> bool {
        let PlaceholderFinder { depots, case_sensitive, is_name, .. } = self;
        *is_name.entry(word).or_insert_with(|| {
            let is_it = |name: &[u8]| is_same(name, word.as_bytes(), *case_sensitive);
            depots.all().iter().any(|depot| {
                is_it(&depot.name) || depot.directories.iter().flatten().any(|name| is_it(name))
            })
        })
    }
}

/// Follows the path in a refusal.
pub fn objection(word: &str) -> String {
    format!("still contains the placeholder {word}; put a real name in its place")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::known_depots::Depot;

    #[test]
    fn a_path_is_cut_before_the_slash_in_front_of_its_first_placeholder() {
        assert_eq!(before_placeholder(b"//a/DIRECTORY/x"), b"//a");
        assert_eq!(before_placeholder(b"//DEPOT/x"), b"/");
        assert_eq!(before_placeholder(b"//a/x"), b"//a/x");
    }

    proptest::proptest! {
        #[test]
        fn exactly_the_whole_names_that_are_placeholders_are_found(
            names in proptest::collection::vec(
                proptest::sample::select(vec![
                    "", "", DIRECTORY, DEPOT, SHORT, "*", "...", "%%1", "x y", "é", "DIRECTORY.",
                    "-SHORT", "DEPOTDEPOT",
                ]),
                1..9,
            ),
        ) {
            let path = names.join("/");
            let is_wide = |number: usize, name: &str| {
                let is_depot = number == 2 && names.starts_with(&["", ""]);
                number > 0 && (name == DIRECTORY || (name == DEPOT && is_depot))
            };
            let wild = |(number, name): (usize, &&'static str)| {
                if is_wide(number, name) { "*" } else { *name }
            };
            let wild: Vec<&str> = names.iter().enumerate().map(wild).collect();
            proptest::prop_assert_eq!(as_wildcards(path.as_bytes()), wild.join("/").into_bytes());
            let shorts = names.iter().skip(1).filter(|name| **name == SHORT).count();
            let found: Vec<_> = placeholders(path.as_bytes(), LONGER_WORDS).collect();
            proptest::prop_assert_eq!(found.len(), shorts);
            for (at, word) in found {
                proptest::prop_assert!(path.get(at..).is_some_and(|rest| rest.starts_with(word)));
            }
        }
    }

    #[test]
    fn a_word_that_is_a_name_on_the_server_is_no_placeholder() {
        let directories = Some(vec![b"directory".to_vec()]);
        let depots = KnownDepots::of(vec![Depot { directories, ..Depot::default() }]);
        let mut folded = PlaceholderFinder::new(WIDER_WORDS, &depots, false);
        assert_eq!(folded.first(b"//a/DIRECTORY/..."), None);
        assert_eq!(folded.first(b"//DEPOT/DIRECTORY/..."), Some(DEPOT));
        let mut exact = PlaceholderFinder::new(WIDER_WORDS, &depots, true);
        assert_eq!(exact.first(b"//a/DIRECTORY/..."), Some(DIRECTORY));
    }
}
