//! The share of a depot's top directories (directly below it) that a view names.

use crate::base::patterns::{counted_name, folded_name};
use crate::paths::depot_path::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Names of directories, each as `counted_name`.
pub type Names = BTreeSet<Vec<u8>>;

/// The top directories of a depot that a view names one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of all top directories of the depot.
    pub tops: usize,
    /// The top directories with a view line whose first wildcard is directly below them.
    pub named_directories: Names,
    /// The largest allowed number of named directories; below 0 if the limit is 0.
    pub max_directories: i64,
}

impl Share {
    pub fn is_too_large(&self) -> bool {
        i64::try_from(self.named_directories.len()).is_ok_and(|named| named > self.max_directories)
    }
}

/// For each depot, the share of its top directories that a view names one by one.
#[derive(Clone, Debug)]
pub struct Shares {
    case_sensitive: bool,
    limit: f64,
    min_directories: usize,
    /// By depot, as `folded_name`.
    named_directories: BTreeMap<Vec<u8>, Names>,
}

impl Shares {
    /// `spans` are the parts of depots that the view's lines span; `limit` is the smallest share of
    /// a depot's top directories that is too large, 0 to 1. A depot's share counts only if the depot
    /// has at least `min_directories` top directories.
    pub fn new<'p>(
        spans: impl IntoIterator<Item = Span<'p>>,
        case_sensitive: bool,
        limit: f64,
        min_directories: usize,
    ) -> Self {
        let mut named_directories: BTreeMap<Vec<u8>, Names> = BTreeMap::new();
        for span in spans.into_iter().filter(|span| !span.is_exact && span.depth == 1) {
            let depot = folded_name(span.depot, case_sensitive).into_owned();
            let directory = counted_name(span.directories, case_sensitive).into_owned();
            named_directories.entry(depot).or_default().insert(directory);
        }
        Shares { case_sensitive, limit, min_directories, named_directories }
    }

    /// Whether the view names a top directory of a depot.
    pub fn names(&self, depot: &[u8]) -> bool {
        self.named_directories.contains_key(&*folded_name(depot, self.case_sensitive))
    }

    /// The share of a depot with these top directories (empty if they are unknown); None if the
    /// depot has too few.
    pub fn of(&self, depot: &[u8], tops: &Names) -> Option<Share> {
        if tops.len() < self.min_directories {
            return None;
        }
        let named = self.named_directories.get(&*folded_name(depot, self.case_sensitive));
        let named = named.into_iter().flatten().filter(|name| tops.contains(*name));
        // The largest allowed number is one below the smallest number whose share reaches the limit.
        let reached = (self.limit * tops.len() as f64).ceil() as i64;
        Some(Share {
            tops: tops.len(),
            named_directories: named.cloned().collect(),
            max_directories: reached - 1,
        })
    }
}
