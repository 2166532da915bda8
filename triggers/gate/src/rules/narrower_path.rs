//! Proposal of a narrower depot path instead of one that spans too much, with words in capitals for
//! the names that the user has to insert.
//!
//! Paths are narrowed as in `narrow_path.py`; the part of the path after the first wildcard is
//! kept. Directories are proposed by name in `limit_command_scope.rs` if they are known; this
//! module proposes words in their place.

use crate::base::patterns::matches;
use crate::base::visible::visible_excerpt;
use crate::paths::depot_path::{
    Span, UnmeasurablePath, first_name, first_wildcard, has_wildcard, span,
};
use crate::policy::compiled::{Depots, MAX_DIRECTORIES};

pub const DIRECTORY: &str = "DIRECTORY";
const DEPOT: &str = "DEPOT";

/// The depots of a server and the depth that a rule `limit_command_scope` requires of a path in
/// each; narrower paths are proposed by them.
pub struct DepotDepths<'a> {
    /// Names of the server's depots, first those of the types that users map; None if unknown.
    pub depots: Option<Depots<'a>>,
    /// Whether the server distinguishes upper and lower case in names.
    pub case_sensitive: bool,
    /// Whether the server is known to be in unicode mode; false if the mode is unknown.
    pub unicode: bool,
    /// Function from a depot's name to the minimum number of directories that the rule requires of
    /// a path in that depot.
    pub min_depth: &'a dyn Fn(&[u8]) -> u64,
}

impl DepotDepths<'_> {
    /// The path for which a narrower one is proposed: `path` itself, or all of its depot if `path`
    /// is malformed or cannot be shown.
    #[must_use]
    pub fn replaced_path(&self, path: &[u8]) -> Vec<u8> {
        if self.narrow(path).is_some() {
            return path.to_vec();
        }
        [b"//", first_name(path), b"/..."].concat()
    }

    /// Proposes a narrower path in place of `path`, with the required number of directories. If the
    /// path is malformed or cannot be shown, proposes another path in its depot, and if the depot's
    /// name cannot be shown either, a path with the word `DEPOT`.
    #[must_use]
    pub fn instead_of(&self, path: &[u8]) -> String {
        let paths = [self.replaced_path(path), format!("//{DEPOT}/...").into_bytes()];
        paths.iter().find_map(|path| self.narrow(path)).unwrap_or_default()
    }

    /// Narrows a path to the required number of directories; None if it is malformed, or if a
    /// refusal would show it escaped or cut, because that would name other files.
    fn narrow(&self, path: &[u8]) -> Option<String> {
        let path_text = visible_excerpt(path, self.unicode);
        if path_text.as_bytes() == path { self.deepen(self.in_depot(path_text)) } else { None }
    }

    /// Replaces a wildcard in the depot's name of a path by the name of a matching depot, or by the
    /// word `DEPOT` if there is none that a refusal can show; any other path stays unchanged.
    fn in_depot(&self, path: String) -> String {
        if span(path.as_bytes()) != Err(UnmeasurablePath::EveryDepot) {
            return path;
        }
        let pattern = depot_pattern(path.as_bytes());
        let fits = |name: &str| {
            matches(&pattern, name.as_bytes(), self.case_sensitive)
                && visible_excerpt(name.as_bytes(), self.unicode) == name
                && !has_wildcard(name.as_bytes())
        };
        let names = self.depots.into_iter().flatten().filter_map(|name| str::from_utf8(name).ok());
        let name = names.into_iter().find(|name| fits(name)).unwrap_or(DEPOT);
        insert_directory(&path, name).unwrap_or(path)
    }

    fn deepen(&self, path: String) -> Option<String> {
        let mut path = path;
        while has_wildcard(path.as_bytes()) {
            let Span { depot, depth, one_directory, .. } = span(path.as_bytes()).ok()?;
            if depth >= (self.min_depth)(depot) || one_directory {
                break;
            }
            path = insert_directory(&path, name_start(&path).as_deref().unwrap_or(DIRECTORY))?;
        }
        Some(path)
    }
}

/// Advice to add to proposed paths: how to replace the words in capitals in the first one. Without
/// such words, if at least three paths in one depot are proposed, the command that lists all
/// directories of that depot; None in other cases.
#[must_use]
pub fn choice_sentence(paths: &[String]) -> Option<String> {
    let path = paths.first()?;
    let position_of = |word: &str| path.split('/').position(|name| name == word);
    let at = position_of(DEPOT).filter(|at| *at == 2).or_else(|| position_of(DIRECTORY));
    let Some(at) = at else { return all_directories(paths) };
    let before = path.split('/').take(at).collect::<Vec<_>>().join("/");
    Some(match before.as_str() {
        "/" => {
            format!(
                "Put names in place of {DEPOT} and {DIRECTORY}; with the depot's name, this \
                 lists its directories: p4 dirs \"//{DEPOT}/*\""
            )
        }
        plain if is_plain(plain) => format!(
            "Put a name in place of {DIRECTORY}; this lists the names: p4 dirs \"{plain}/*\""
        ),
        _ => format!("Put a name in place of {DIRECTORY}."),
    })
}

fn all_directories(paths: &[String]) -> Option<String> {
    let depot = str::from_utf8(first_name(paths.first()?.as_bytes())).ok()?;
    let is_one_depot = paths.iter().all(|path| first_name(path.as_bytes()) == depot.as_bytes());
    let is_listed = paths.len() >= MAX_DIRECTORIES && is_one_depot && is_plain(depot);
    is_listed.then(|| format!("This lists all directories: p4 dirs \"//{depot}/*\""))
}

/// Whether no shell gives a meaning to any character of a path. The user may paste the proposed
/// command into a shell, so it is left out for paths with special characters.
#[must_use]
pub fn is_plain(path: &str) -> bool {
    path.chars().all(|c| c.is_alphanumeric() || "_./+-".contains(c))
}

/// A pattern for the names of depots that a path matches. `...` also matches slashes, so the text
/// behind it need not belong to the name and is left out.
fn depot_pattern(path: &[u8]) -> Vec<u8> {
    let (mut pattern, mut rest) = (Vec::new(), first_name(path));
    while let Some((start, end)) = first_wildcard(rest) {
        pattern.extend_from_slice(rest.get(..start).unwrap_or_default());
        pattern.push(b'*');
        let is_dots = rest.get(start) == Some(&b'.');
        rest = rest.get(end..).filter(|_| !is_dots).unwrap_or_default();
    }
    pattern.extend_from_slice(rest);
    pattern
}

/// Inserts the name of a directory or depot into a proposed path, in place of the component with
/// the first wildcard or before that component; None without a wildcard.
fn insert_directory(path: &str, name: &str) -> Option<String> {
    let (start, end) = first_wildcard(path.as_bytes())?;
    let head = path.get(..start)?.rfind('/')? + 1;
    let tail = path.get(end..)?.find('/').map_or(path.len(), |slash| end + slash);
    let (head, part, tail) = (path.get(..head)?, path.get(head..tail)?, path.get(tail..)?);
    if !tail.is_empty() && !part.contains("...") {
        return Some(format!("{head}{name}{tail}"));
    }
    let start = name_start(path).filter(|start| name.starts_with(start.as_str()));
    let rest = part.get(start.map_or(0, |start| start.len())..)?;
    Some(format!("{head}{name}/{rest}{tail}"))
}

/// The literal text directly before a path's first wildcard, back to the slash, such as `main` for
/// `//depot/main...`; it is proposed as a directory's name. None without a wildcard, or if the
/// first wildcard is not `...` or follows a slash.
fn name_start(path: &str) -> Option<String> {
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
        fn a_proposed_path_has_at_least_min_depth(
            path in "//([a.*]|%%1){0,5}(/([a.*]|%%1){0,5}){0,4}",
            min_depth in 0_u64..4,
        ) {
            let mut names = Writer::default();
            Depots::write(&mut names, b"a", &[]);
            let depths = DepotDepths {
                depots: Depots::read(&names.0),
                case_sensitive: true,
                unicode: false,
                min_depth: &|_| min_depth,
            };
            let proposal = depths.instead_of(path.as_bytes());
            if has_wildcard(proposal.as_bytes()) {
                let span = span(proposal.as_bytes());
                let passes = |span: Span<'_>| span.depth >= min_depth || span.one_directory;
                prop_assert!(span.is_ok_and(passes), "{path} -> {proposal}");
            } else {
                prop_assert!(proposal.starts_with("//"), "{path} -> {proposal}");
            }
        }
    }

    #[test]
    fn the_advice_names_the_command_that_lists_directories_or_depots() {
        let advice = |path: &str| choice_sentence(&[path.to_owned()]).unwrap_or_default();
        assert!(
            advice("//depot/main/DIRECTORY/...")
                .ends_with("; this lists the names: p4 dirs \"//depot/main/*\"")
        );
        assert!(advice("//DEPOT/DIRECTORY/...").ends_with(": p4 dirs \"//DEPOT/*\""));
        assert!(advice("//depot/$(id)/DIRECTORY/...").ends_with(" in place of DIRECTORY."));
        assert_eq!(advice("//depot/main/..."), "");
    }
}
