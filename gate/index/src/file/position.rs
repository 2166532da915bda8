//! A position in a journal, stored so that the journal can be recognized after it was renamed.

use crate::base::numbers::{put_number, take_number};

/// Number of bytes before the position, and at the journal's start, that are compared.
pub const WINDOW_BYTES: u64 = 4096;

/// A position in a journal, with checksums that recognize the journal after it was renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Offset of the position in the journal's uncompressed text, in bytes.
    pub at: u64,
    /// CRC-32 of the journal's first `WINDOW_BYTES`, up to the position.
    pub start_crc: u32,
    /// CRC-32 of the last `WINDOW_BYTES` before the position, fewer if the journal is shorter.
    pub end_crc: u32,
}

impl Position {
    /// Appends the position to the head of a file.
    pub fn put(self, to: &mut Vec<u8>) {
        [self.at, self.start_crc.into(), self.end_crc.into()]
            .into_iter()
            .for_each(|number| put_number(to, number));
    }

    /// Decodes a position from the head of a file; None if it is incomplete.
    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let (at, start_crc, end_crc) = (take_number(from)?, take_number(from)?, take_number(from)?);
        Some(Position { at, start_crc: start_crc as u32, end_crc: end_crc as u32 })
    }
}
