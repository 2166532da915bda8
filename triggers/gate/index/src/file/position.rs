//! A position in a journal, stored in index and delta files with checksums, so that reading can
//! continue after the journal was renamed.

use crate::base::numbers::{put_number, take_number};

/// Maximum number of bytes from which each of a journal position's two checksums is computed: bytes
/// at the journal's start, and bytes directly before the position.
pub const WINDOW_BYTES: u64 = 4096;

/// A position in a journal, with checksums by which the journal is recognized after it was renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Offset of the position in the journal's uncompressed text, in bytes.
    pub offset: u64,
    /// CRC-32 of the journal's first `WINDOW_BYTES` bytes, or of all bytes before the position if
    /// they are fewer.
    pub start_crc: u32,
    /// CRC-32 of the `WINDOW_BYTES` bytes before the position, or of all bytes before the position
    /// if they are fewer.
    pub end_crc: u32,
}

impl Position {
    /// Appends the encoded journal position to the buffer `to`, in which the head of a checkpoint
    /// index or its delta file is built.
    pub fn put(self, to: &mut Vec<u8>) {
        [self.offset, self.start_crc.into(), self.end_crc.into()]
            .into_iter()
            .for_each(|number| put_number(to, number));
    }

    /// Decodes a journal position in the head of a checkpoint index or its delta file; None if it
    /// is incomplete.
    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let (offset, start_crc, end_crc) =
            (take_number(from)?, take_number(from)?, take_number(from)?);
        Some(Position { offset, start_crc: start_crc as u32, end_crc: end_crc as u32 })
    }
}
