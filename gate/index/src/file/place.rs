//! A depot, or a directory at a depot's top, in an index.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// Facts of an index about a depot, or about a directory at a depot's top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// How many files and how many revisions lie below it.
    pub counts: [u64; 2],
    /// Its type as `db.depot` numbers it, and its map; None for a directory.
    pub depot: Option<(u64, Vec<u8>)>,
}

impl Place {
    /// Writes it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        self.counts.iter().for_each(|count| put_number(&mut to, *count));
        if let Some((kind, map)) = &self.depot {
            put_number(&mut to, *kind);
            put_text(&mut to, map);
        }
        to
    }

    /// Reads it; None where it is no place.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let counts = [take_number(from)?, take_number(from)?];
        if from.is_empty() {
            return Some(Place { counts, depot: None });
        }
        Some(Place { counts, depot: Some((take_number(from)?, take_text(from)?.to_vec())) })
    }
}
