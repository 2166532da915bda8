//! How often names came.

use std::collections::HashMap;

/// More names of one kind are counted together: clients can be made up by the million.
const MAX_NAMES: usize = 100_000;

/// How often each name came.
#[derive(Debug, Default)]
pub struct Names {
    /// By name.
    pub counts: HashMap<Vec<u8>, u64>,
    /// Those that came when there were too many.
    pub others: u64,
}

impl Names {
    /// Counts a name; one that is not known is empty.
    pub fn note(&mut self, name: Option<&[u8]>) {
        let name = name.unwrap_or_default();
        if self.counts.len() >= MAX_NAMES && !self.counts.contains_key(name) {
            self.others += 1;
        } else {
            at(&mut self.counts, name, |count| *count += 1);
        }
    }
}

/// Changes the value kept for a name; a name that is known costs no copy of it.
pub fn at<V: Default>(map: &mut HashMap<Vec<u8>, V>, name: &[u8], change: impl FnOnce(&mut V)) {
    match map.get_mut(name) {
        Some(value) => change(value),
        None => change(map.entry(name.to_vec()).or_default()),
    }
}
