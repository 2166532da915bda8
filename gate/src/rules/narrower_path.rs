//! A path that is too wide -> one to write instead, with words in capitals where its user chooses.
//!
//! The same words and the same places as `narrow_path.py`: what stands behind the first wildcard
//! stays. The gate knows the names of the depots, not those of their directories.

use crate::base::patterns::is_same;
use crate::base::text::cut;
use crate::paths::depot_path::{Span, Unmeasured, first_wildcard, has_wildcard, span};
use crate::policy::compiled::Depots;

const DIRECTORY: &str = "DIRECTORY";
const DEPOT: &str = "DEPOT";

/// Names of a server's depots, and the depth that a path of each must have.
pub struct Known<'a> {
    /// The server's depots, those that people map first; None where they are not known.
    pub depots: Option<Depots<'a>>,
    /// Whether the server tells `A` from `a`.
    pub case_sensitive: bool,
    /// From a depot's name to the directories that a path of it must name.
    pub need: &'a dyn Fn(&[u8]) -> u64,
}

impl Known<'_> {
    /// The path within as many directories as are needed; one in some depot where it cannot be told.
    #[must_use]
    pub fn instead_of(&self, path: &[u8]) -> String {
        let shown = cut(path);
        // A part of a path would be another path.
        let whole = shown.as_bytes() == path;
        let told = if whole { self.deep_enough(self.in_depot(shown)) } else { None };
        told.or_else(|| self.deep_enough(self.in_depot("//...".to_owned()))).unwrap_or_default()
    }

    /// The path with a depot's name in the place of a wildcard.
    fn in_depot(&self, path: String) -> String {
        if span(path.as_bytes()) != Err(Unmeasured::EveryDepot) {
            return path;
        }
        let below = path.get(2..).unwrap_or_default();
        let start = first_wildcard(below.as_bytes()).map_or(0, |(start, _)| start);
        let start = below.get(..start).unwrap_or_default();
        let fits = |name: &str| {
            let begins = name.get(..start.len()).is_some_and(|begins| {
                is_same(begins.as_bytes(), start.as_bytes(), self.case_sensitive)
            });
            begins && cut(name.as_bytes()) == name && !has_wildcard(name.as_bytes())
        };
        let names = self.depots.into_iter().flatten().filter_map(|name| str::from_utf8(name).ok());
        let name = names.into_iter().find(|name| fits(name)).unwrap_or(DEPOT);
        within(&path, name).unwrap_or(path)
    }

    fn deep_enough(&self, path: String) -> Option<String> {
        let mut path = path;
        while has_wildcard(path.as_bytes()) {
            let Span { depot, depth, one_directory, .. } = span(path.as_bytes()).ok()?;
            if depth >= (self.need)(depot) || one_directory {
                break;
            }
            path = within(&path, beginning(&path).as_deref().unwrap_or(DIRECTORY))?;
        }
        Some(path)
    }
}

/// Advice below a path: the command that lists the names for its words in capitals.
#[must_use]
pub fn how_to_choose(path: &str) -> Option<String> {
    let holds = |word: &str| path.split('/').position(|name| name == word);
    let at = holds(DEPOT).filter(|at| *at == 2).or_else(|| holds(DIRECTORY))?;
    let before: Vec<_> = path.split('/').take(at).collect();
    let before = before.join("/");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
    let look = match before.as_str() {
        "/" => ": p4 depots lists the depots".to_owned(),
        // A command is there to be pasted, and names come from people.
        plain if plain.chars().all(is_plain) => format!(": p4 dirs \"{plain}/*\" lists them"),
        _ => String::new(),
    };
    Some(format!("Replace the words in capitals by names{look}."))
}

/// The path within a directory, which stands before the first wildcard or in its place.
fn within(path: &str, name: &str) -> Option<String> {
    let (start, end) = first_wildcard(path.as_bytes())?;
    let head = path.get(..start)?.rfind('/')? + 1;
    let tail = path.get(end..)?.find('/').map_or(path.len(), |slash| end + slash);
    let (head, part, tail) = (path.get(..head)?, path.get(head..tail)?, path.get(tail..)?);
    if !tail.is_empty() && !part.contains("...") {
        return Some(format!("{head}{name}{tail}"));
    }
    let begun = beginning(path).filter(|begun| name.starts_with(begun.as_str()));
    let rest = part.get(begun.map_or(0, |begun| begun.len())..)?;
    Some(format!("{head}{name}/{rest}{tail}"))
}

/// The written beginning of the name that holds the first wildcard: `main` of `main...`.
fn beginning(path: &str) -> Option<String> {
    let (start, end) = first_wildcard(path.as_bytes())?;
    let name = path.get(path.get(..start)?.rfind('/')? + 1..start)?;
    (path.get(start..end)? == "..." && !name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::bytes::Writer;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_proposed_is_deep_enough(path in "//([a.*]|%%1){0,5}(/([a.*]|%%1){0,5}){0,4}", need in 0_u64..4) {
            let mut names = Writer::default();
            Depots::write(&mut names, b"a");
            let known =
                Known { depots: Depots::read(&names.0), case_sensitive: true, need: &|_| need };
            let told = known.instead_of(path.as_bytes());
            if has_wildcard(told.as_bytes()) {
                let span = span(told.as_bytes());
                let passes = |span: Span<'_>| span.depth >= need || span.one_directory;
                prop_assert!(span.is_ok_and(passes), "{path} -> {told}");
            } else {
                prop_assert!(told.starts_with("//"), "{path} -> {told}");
            }
        }
    }

    #[test]
    fn the_command_that_lists_the_names_is_told() {
        let told = |path| how_to_choose(path).unwrap_or_default();
        assert!(
            told("//depot/main/DIRECTORY/...")
                .ends_with(": p4 dirs \"//depot/main/*\" lists them.")
        );
        assert!(told("//DEPOT/DIRECTORY/...").ends_with(": p4 depots lists the depots."));
        assert!(told("//depot/$(id)/DIRECTORY/...").ends_with(" by names."));
        assert_eq!(told("//depot/main/..."), "");
    }
}
