use crate::base::numbers::{put_number, take_number};

/// Bytes at the journal's start, and bytes directly before the position.
pub const WINDOW_BYTES: u64 = 4096;

/// With checksums by which the journal is recognized after it was renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// In the journal's uncompressed text.
    pub offset: u64,
    /// CRC-32 of the journal's first `WINDOW_BYTES` bytes, or of fewer before the position.
    pub start_crc: u32,
    /// CRC-32 of the `WINDOW_BYTES` bytes before the position, or of fewer.
    pub end_crc: u32,
}

impl Position {
    pub fn put(self, to: &mut Vec<u8>) {
        [self.offset, self.start_crc.into(), self.end_crc.into()]
            .into_iter()
            .for_each(|number| put_number(to, number));
    }

    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let (offset, start_crc, end_crc) =
            (take_number(from)?, take_number(from)?, take_number(from)?);
        Some(Position { offset, start_crc: start_crc as u32, end_crc: end_crc as u32 })
    }
}
