use std::collections::HashMap;

/// Users can invent millions of clients.
const MAX_NAMES: usize = 100_000;

#[derive(Debug, Default)]
pub struct Names {
    pub counts: HashMap<Vec<u8>, u64>,
    /// All names beyond `MAX_NAMES` together.
    pub other_count: u64,
}

impl Names {
    /// None is counted as the empty name.
    pub fn note(&mut self, name: Option<&[u8]>) {
        let name = name.unwrap_or_default();
        if self.counts.len() >= MAX_NAMES && !self.counts.contains_key(name) {
            self.other_count += 1;
        } else {
            update_entry(&mut self.counts, name, |count| *count += 1);
        }
    }
}

/// The name is copied only if it is new.
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
