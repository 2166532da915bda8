//! Serves to decide whether the stored views of the stream's clients are still valid.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// Virtual and task streams, whose clients' views are not relied on.
const UNKNOWN_KINDS: [u64; 2] = [3, 4];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// As numbered in `db.stream`: 0 mainline, 1 release, 2 development, 3 virtual, 4 task.
    pub kind: u64,
    /// According to `db.domain`, in seconds since the Unix epoch.
    pub updated_s: u64,
    /// Its parent, and the streams on which it depends otherwise.
    pub sources: Vec<Vec<u8>>,
}

impl Stream {
    /// Its clients may see more files than their stored views contain.
    pub fn is_of_unknown_kind(&self) -> bool {
        UNKNOWN_KINDS.contains(&self.kind)
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.kind);
        put_number(&mut to, self.updated_s);
        self.sources.iter().for_each(|source| put_text(&mut to, source));
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let (kind, updated_s) = (take_number(from)?, take_number(from)?);
        let mut sources = Vec::new();
        while !from.is_empty() {
            sources.push(take_text(from)?.to_vec());
        }
        Some(Stream { kind, updated_s, sources })
    }
}
