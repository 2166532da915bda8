//! The directories about which the lines of a view beside a refused one decide already.

use crate::base::patterns::folded_name;
use crate::paths::depot_path::{has_wildcard, literal_start};
use crate::proposals::narrowing::starts_with;
use std::collections::{BTreeMap, BTreeSet};

/// How other lines of a view decide about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decided {
    Mapped,
    Excluded,
    /// Of several paths, some are mapped and the others excluded.
    Both,
}

/// Directories with a slash at their ends, as `folded_name`; only lines that end in `/...` and have no
/// other wildcard are compared.
#[derive(Debug, Default)]
pub struct OtherLines {
    case_sensitive: bool,
    mapped: BTreeSet<Vec<u8>>,
    /// With the number of the last line that excludes them.
    excluded: BTreeMap<Vec<u8>, usize>,
}

impl OtherLines {
    /// `excluded` are the numbers and paths of the exclusion lines in form order, `mapped` the paths
    /// of lines that stay.
    pub fn new<'p>(
        case_sensitive: bool,
        mapped: impl Iterator<Item = &'p [u8]>,
        excluded: impl Iterator<Item = (usize, &'p [u8])>,
    ) -> Self {
        let whole = |path| whole_directory(path, case_sensitive);
        let mapped = mapped.filter_map(whole).collect();
        let excluded = excluded.filter_map(|(number, path)| Some((whole(path)?, number))).collect();
        OtherLines { case_sensitive, mapped, excluded }
    }

    /// How they decide about all of a path: they map it, or lines after `number` exclude it.
    pub fn decided(&self, path: &[u8], number: usize) -> Option<Decided> {
        if self.mapped.is_empty() && self.excluded.is_empty() {
            return None;
        }
        let literal = folded_name(literal_start(path), self.case_sensitive);
        let ends = literal.iter().enumerate().skip(2).filter(|(_, byte)| **byte == b'/');
        ends.filter_map(|(at, _)| literal.get(..=at)).find_map(|start| {
            if self.mapped.contains(start) {
                return Some(Decided::Mapped);
            }
            let is_excluded = self.excluded.get(start).is_some_and(|excluded| *excluded > number);
            is_excluded.then_some(Decided::Excluded)
        })
    }
}

/// The directory that a depot path maps completely, with a slash at its end.
fn whole_directory(path: &[u8], case_sensitive: bool) -> Option<Vec<u8>> {
    let start = path.strip_suffix(b"...").filter(|start| start.ends_with(b"/"))?;
    (!has_wildcard(start)).then(|| folded_name(start, case_sensitive).into_owned())
}

/// Whether one of two directories is within the other.
pub fn overlap(one: &[u8], other: &[u8], case_sensitive: bool) -> bool {
    starts_with(one, other, case_sensitive) || starts_with(other, one, case_sensitive)
}
