//! The first-level directories of a submit's new files.

use crate::base::patterns::{folded_name, is_same};
use crate::event::form_event::{FormEvent, SubmittedFile};
use crate::facts::known_depots::Depot;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Top<'e> {
    pub depot: &'e [u8],
    pub directory: &'e [u8],
}

/// The distinct ones of those new files that `counts` accepts, in their order; files directly below a
/// depot are in none.
pub fn tops<'e>(event: &FormEvent<'e>, counts: fn(&SubmittedFile<'e>) -> bool) -> Vec<Top<'e>> {
    let files = event.files.iter().flatten().filter(|file| file.is_new() && counts(file));
    let mut seen = BTreeSet::new();
    let tops = files.filter_map(|file| {
        let path = file.path.strip_prefix(b"//").unwrap_or(file.path);
        let mut parts = path.splitn(3, |byte| *byte == b'/');
        let top = Top { depot: parts.next()?, directory: parts.next()? };
        parts.next().map(|_| top)
    });
    tops.filter(|top| seen.insert(*top)).collect()
}

/// Those that a known depot does not have, each as `//DEPOT/DIRECTORY`.
pub fn added<'e>(event: &FormEvent<'e>, depots: &[Depot], case_sensitive: bool) -> Vec<Vec<u8>> {
    let mut by_depot = BTreeMap::new();
    let is_new = |top: &Top<'e>| {
        let known = by_depot.entry(top.depot).or_insert_with(|| {
            let depot = depots.iter().find(|it| is_same(&it.name, top.depot, case_sensitive))?;
            Some(depot.folded_directories(case_sensitive))
        });
        let name = folded_name(top.directory, case_sensitive).into_owned();
        known.as_mut().is_some_and(|known| known.insert(name))
    };
    let added = tops(event, |_| true).into_iter().filter(is_new);
    added.map(|top| [b"//", top.depot, b"/", top.directory].concat()).collect()
}
