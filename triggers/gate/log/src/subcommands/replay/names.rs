//! Counts how often users, clients and other names occur among those logged commands that are
//! passed to the counter.

use std::collections::HashMap;

/// Maximum number of names that one counter counts separately, because users can invent millions of
/// clients.
const MAX_NAMES: usize = 100_000;

/// Counter of the names of one kind, such as users or clients, in those logged commands that are
/// passed to it.
#[derive(Debug, Default)]
pub struct Names {
    /// Number of counted occurrences of each name, for at most `MAX_NAMES` names.
    pub counts: HashMap<Vec<u8>, u64>,
    /// Number of counted occurrences of all further names beyond `MAX_NAMES` together.
    pub other_count: u64,
}

impl Names {
    /// Counts one occurrence of a name; None is counted as the empty name.
    pub fn note(&mut self, name: Option<&[u8]>) {
        let name = name.unwrap_or_default();
        if self.counts.len() >= MAX_NAMES && !self.counts.contains_key(name) {
            self.other_count += 1;
        } else {
            update_entry(&mut self.counts, name, |count| *count += 1);
        }
    }
}

/// Changes the map's value for a name, adding a default value first if the name is new; the name is
/// copied only then.
pub fn update_entry<V: Default>(
    map: &mut HashMap<Vec<u8>, V>,
    name: &[u8],
    change: impl FnOnce(&mut V),
) {
    match map.get_mut(name) {
        Some(value) => change(value),
        None => change(map.entry(name.to_vec()).or_default()),
    }
}
