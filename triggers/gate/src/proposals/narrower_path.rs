//! Proposal of a narrower path instead of a file argument that spans too much, with placeholders for
//! names that are unknown.

use crate::base::patterns::matches;
use crate::base::visible::visible_excerpt;
use crate::facts::depots::Depots;
use crate::paths::depot_path::{first_name, span};
use crate::proposals::line::{Demand, Line};
use crate::proposals::narrowing::{is_name, pattern};
use crate::proposals::placeholders::DEPOT;

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
    pub fn replaced_path(&self, path: &[u8]) -> Vec<u8> {
        if self.narrow(path).is_some() {
            return path.to_vec();
        }
        [b"//", first_name(path), b"/..."].concat()
    }

    /// Proposes a narrower path in place of `path`, with the required number of directories. If the
    /// path is malformed or cannot be shown, proposes another path in its depot, and if the depot's
    /// name cannot be shown either, a path with the word `DEPOT`.
    pub fn instead_of(&self, path: &[u8]) -> String {
        let paths = [self.replaced_path(path), format!("//{DEPOT}/...").into_bytes()];
        paths.iter().find_map(|path| self.narrow(path)).unwrap_or_default()
    }

    /// The path narrowed to a directory; None if no part of the directory is within it, if the rule
    /// would object to the result, or if a refusal cannot show it unchanged.
    pub fn part_in(&self, path: &[u8], directory: &[u8]) -> Option<String> {
        self.with_demand(|demand| {
            let part = Line::argument(path).toward(directory, demand)?;
            let text = part.text(self.unicode).filter(|_| part.is_enough(demand))?;
            (visible_excerpt(part.path(), self.unicode) == text).then_some(text)
        })
    }

    /// None if the path is malformed, or if a refusal would show it escaped or cut, because that
    /// would name other files.
    fn narrow(&self, path: &[u8]) -> Option<String> {
        if visible_excerpt(path, self.unicode).as_bytes() != path {
            return None;
        }
        self.with_demand(|demand| {
            let line = Line::argument(path);
            let line = if line.is_of_every_depot() {
                line.within(self.fitting_depot(path), demand)?
            } else {
                line
            };
            line.deepened(demand)?.text(self.unicode)
        })
    }

    /// The first depot that the path's wildcard matches and a refusal can show, or the word for one.
    fn fitting_depot(&self, path: &[u8]) -> &[u8] {
        let pattern = pattern(path).unwrap_or_default();
        let fits = |name: &&[u8]| {
            matches(&pattern, name, self.case_sensitive)
                && visible_excerpt(name, self.unicode).as_bytes() == *name
                && is_name(name)
        };
        self.depots.into_iter().flatten().find(fits).unwrap_or(DEPOT.as_bytes())
    }

    fn with_demand<T>(&self, look: impl FnOnce(&Demand<'_>) -> T) -> T {
        let is_enough = |path: &[u8]| {
            span(path).is_ok_and(|span| {
                span.is_exact || span.one_directory || span.depth >= (self.min_depth)(span.depot)
            })
        };
        let case_sensitive = self.case_sensitive;
        look(&Demand { is_enough: &is_enough, client: None, case_sensitive })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::depots::DepotList;
    use crate::paths::depot_path::has_wildcard;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_proposed_path_has_at_least_min_depth(
            path in "//([a.*]|%%1){0,5}(/([a.*]|%%1){0,5}){0,4}",
            min_depth in 0_u64..4,
        ) {
            let mut depots = DepotList::default();
            depots.add(b"a".to_vec());
            let depths = DepotDepths {
                depots: Depots::of(&depots),
                case_sensitive: true,
                unicode: false,
                min_depth: &|_| min_depth,
            };
            let proposal = depths.instead_of(path.as_bytes());
            if has_wildcard(proposal.as_bytes()) {
                let span = span(proposal.as_bytes());
                let passes = |span: crate::paths::depot_path::Span<'_>| {
                    span.depth >= min_depth || span.one_directory
                };
                prop_assert!(span.is_ok_and(passes), "{path} -> {proposal}");
            } else {
                prop_assert!(proposal.starts_with("//"), "{path} -> {proposal}");
            }
        }
    }
}
