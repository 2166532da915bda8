use crate::base::numbers::{put_number, put_text, take_number, take_text};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Files and revisions below the depot or directory.
    pub counts: [u64; 2],
    /// Type as numbered in `db.depot`, and `Map` field; None for a directory, and for a depot
    /// without a record in `db.depot`.
    pub depot: Option<(u64, Vec<u8>)>,
}

impl DirectoryEntry {
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.counts.iter().for_each(|count| put_number(&mut to, *count));
        if let Some((kind, map)) = &self.depot {
            put_number(&mut to, *kind);
            put_text(&mut to, map);
        }
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let counts = [take_number(from)?, take_number(from)?];
        if from.is_empty() {
            return Some(DirectoryEntry { counts, depot: None });
        }
        Some(DirectoryEntry {
            counts,
            depot: Some((take_number(from)?, take_text(from)?.to_vec())),
        })
    }
}
