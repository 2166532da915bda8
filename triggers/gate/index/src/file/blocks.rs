//! A block consists of: the checksum of the rest (4 bytes), the number of entries before it on the
//! same level of the tree (8 bytes), then entries. An entry consists of: the number of bytes that
//! its key shares with the previous key, the number of further key bytes, the length of the value,
//! the further key bytes, the value.

use crate::base::checksum::checksum;
use crate::base::numbers::{put_number, take, take_number};
use crate::base::order::shared_bytes;
use std::io::{self, Write};

/// From this size a block is full; it may be larger by its last entry.
const BLOCK_BYTES: usize = 1024;

pub const CHECKSUM_BYTES: usize = 4;

/// Most keys are not longer.
const KEY_BYTES: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub offset: u64,
    /// The checksum included.
    pub bytes: u64,
}

pub struct BlockOutput<W> {
    output: W,
    offset: u64,
}

impl<W: Write> BlockOutput<W> {
    pub fn new(output: W, offset: u64) -> Self {
        BlockOutput { output, offset }
    }

    pub fn at(&self) -> u64 {
        self.offset
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    pub fn block(&mut self, text: &[u8]) -> io::Result<Span> {
        self.output.write_all(&checksum(text).to_le_bytes())?;
        self.output.write_all(text)?;
        let place = Span { offset: self.offset, bytes: (CHECKSUM_BYTES + text.len()) as u64 };
        self.offset += place.bytes;
        Ok(place)
    }
}

/// None if the checksum is missing or wrong.
pub fn checked_content(block: &[u8]) -> Option<&[u8]> {
    let (sum, text) = block.split_first_chunk::<CHECKSUM_BYTES>()?;
    (checksum(text) == u32::from_le_bytes(*sum)).then_some(text)
}

#[derive(Debug, Default)]
pub struct UnfinishedBlock {
    text: Vec<u8>,
    previous_key: Vec<u8>,
    pub first_key: Vec<u8>,
    /// In earlier blocks on the same level of the tree.
    pub earlier_entries: u64,
    entries: u64,
}

impl UnfinishedBlock {
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    pub fn is_full(&self) -> bool {
        self.text.len() >= BLOCK_BYTES
    }

    /// The keys have to come in sorted order.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        if self.is_empty() {
            self.text.extend_from_slice(&self.earlier_entries.to_le_bytes());
            self.first_key = key.to_vec();
        }
        let shared = shared_bytes(&self.previous_key, key);
        let own = key.get(shared..).unwrap_or_default();
        put_number(&mut self.text, shared as u64);
        put_number(&mut self.text, own.len() as u64);
        put_number(&mut self.text, value.len() as u64);
        self.text.extend_from_slice(own);
        self.text.extend_from_slice(value);
        self.previous_key.truncate(shared);
        self.previous_key.extend_from_slice(own);
        self.entries += 1;
    }

    /// Also starts the next block on the same level of the tree.
    pub fn write(&mut self, out: &mut BlockOutput<impl Write>) -> io::Result<Span> {
        let place = out.block(&self.text)?;
        self.text.clear();
        self.previous_key.clear();
        self.earlier_entries += self.entries;
        self.entries = 0;
        Ok(place)
    }
}

#[derive(Debug)]
pub struct Entries<'b> {
    rest: &'b [u8],
    folds: bool,
    /// Position, from 0, of the next entry among all entries on the same level of the tree.
    pub number: u64,
    /// In lower case if `folds`.
    pub key: Vec<u8>,
}

impl<'b> Entries<'b> {
    /// `text` is the block without its checksum; None if it is too short.
    pub fn new(text: &'b [u8], folds: bool) -> Option<Self> {
        let (number, rest) = text.split_first_chunk::<8>()?;
        let number = u64::from_le_bytes(*number);
        Some(Entries { rest, folds, number, key: Vec::with_capacity(KEY_BYTES) })
    }

    /// None at the end of the block, or if the block is damaged.
    pub fn advance(&mut self) -> Option<&'b [u8]> {
        let mut number = || take_number(&mut self.rest);
        let (shared, own, value) = (number()?, number()?, number()?);
        let own = take(&mut self.rest, own)?;
        self.key.truncate(usize::try_from(shared).ok()?);
        let at = self.key.len();
        self.key.extend_from_slice(own);
        if self.folds {
            self.key.get_mut(at..)?.make_ascii_lowercase();
        }
        self.number += 1;
        take(&mut self.rest, value)
    }
}
