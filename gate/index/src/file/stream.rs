//! A stream in an index: whether the views of its clients are what the server goes by.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// Types of `db.stream` whose views are not taken for granted: virtual and task.
const UNKNOWN_KINDS: [u64; 2] = [3, 4];

/// Facts of an index about a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Its type as `db.stream` numbers it: 0 mainline, 1 release, 2 development, 3 virtual, 4 task.
    pub kind: u64,
    /// When it was saved last, in seconds since the epoch.
    pub updated_s: u64,
    /// The number of the transaction of a delta that saved it; 0 where none did.
    pub saved_at: u64,
    /// Its parent, its components and all other streams that its view is made of.
    pub sources: Vec<Vec<u8>>,
}

impl Stream {
    /// Whether clients of such a stream may see more than their views say.
    #[must_use]
    pub fn is_of_unknown_kind(&self) -> bool {
        UNKNOWN_KINDS.contains(&self.kind)
    }

    /// Writes it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        [self.kind, self.updated_s, self.saved_at]
            .into_iter()
            .for_each(|number| put_number(&mut to, number));
        self.sources.iter().for_each(|source| put_text(&mut to, source));
        to
    }

    /// Reads it; None where it is no stream.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let (kind, updated_s, saved_at) =
            (take_number(from)?, take_number(from)?, take_number(from)?);
        let mut sources = Vec::new();
        while !from.is_empty() {
            sources.push(take_text(from)?.to_vec());
        }
        Some(Stream { kind, updated_s, saved_at, sources })
    }
}
