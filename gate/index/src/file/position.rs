//! A place in a journal, with which the journal is known again after it was renamed.

use crate::base::numbers::{put_number, take_number};

/// So much of the text before the place, and of the journal's start, is compared.
pub const WINDOW_BYTES: u64 = 4096;

/// A place in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// So many bytes of the text come before it, however the text is stored.
    pub at: u64,
    /// CRC-32 of the journal's first `WINDOW_BYTES`, as far as they come before the place.
    pub start_crc: u32,
    /// CRC-32 of the last `WINDOW_BYTES` before the place.
    pub end_crc: u32,
}

impl Position {
    /// Appends it to the head of a file.
    pub fn put(self, to: &mut Vec<u8>) {
        [self.at, self.start_crc.into(), self.end_crc.into()]
            .into_iter()
            .for_each(|number| put_number(to, number));
    }

    /// Takes it from the head of a file; None where that is cut off.
    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let (at, start_crc, end_crc) = (take_number(from)?, take_number(from)?, take_number(from)?);
        Some(Position { at, start_crc: start_crc as u32, end_crc: end_crc as u32 })
    }
}
