//! Blocks of the trees in a checkpoint index or its delta file: groups of sorted entries with a
//! checksum, the unit in which a tree is read.
//!
//! A block consists of: the checksum of the rest (4 bytes), the number of entries before it on the
//! same level of the tree (8 bytes), then entries. An entry consists of: the number of bytes that
//! its key shares with the previous key, the number of further key bytes, the length of the value,
//! the further key bytes, the value.

use crate::base::checksum::checksum;
use crate::base::numbers::{put_number, take, take_number};
use crate::base::order::shared_bytes;
use std::io::{self, Write};

/// Size in bytes from which a block of a checkpoint index counts as full; a block may be larger by
/// its last entry.
const BLOCK_BYTES: usize = 1024;

/// Length in bytes of the checksum at the start of each block of a checkpoint index or its delta
/// file.
pub const CHECKSUM_BYTES: usize = 4;

/// Initial capacity in bytes of the buffer for the key of a checkpoint index's entry; most keys are
/// not longer.
const KEY_BYTES: usize = 256;

/// Position and length of a block in a checkpoint index or its delta file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset in bytes of the block's start in the checkpoint index or its delta file.
    pub offset: u64,
    /// Length in bytes of the block of a checkpoint index or delta file, its checksum included.
    pub bytes: u64,
}

/// A checkpoint index or its delta file being written, to which blocks are appended.
pub struct BlockOutput<W> {
    output: W,
    offset: u64,
}

impl<W: Write> BlockOutput<W> {
    /// Creates an output to a checkpoint index or delta file, whose next block begins at byte
    /// offset `offset` of the file.
    pub fn new(output: W, offset: u64) -> Self {
        BlockOutput { output, offset }
    }

    /// Length in bytes of the checkpoint index or delta file with all blocks appended so far.
    pub fn at(&self) -> u64 {
        self.offset
    }

    /// Writes the buffered blocks to the checkpoint index or delta file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    /// Appends a block to the checkpoint index or delta file: the checksum of `text`, then `text`.
    /// Returns the block's position and length.
    pub fn block(&mut self, text: &[u8]) -> io::Result<Span> {
        self.output.write_all(&checksum(text).to_le_bytes())?;
        self.output.write_all(text)?;
        let place = Span { offset: self.offset, bytes: (CHECKSUM_BYTES + text.len()) as u64 };
        self.offset += place.bytes;
        Ok(place)
    }
}

/// The content of a block of a checkpoint index without its checksum; None if the checksum is
/// missing or wrong.
#[must_use]
pub fn checked_content(block: &[u8]) -> Option<&[u8]> {
    let (sum, text) = block.split_first_chunk::<CHECKSUM_BYTES>()?;
    (checksum(text) == u32::from_le_bytes(*sum)).then_some(text)
}

/// A block of a tree in a checkpoint index or its delta file, to which entries are being appended.
#[derive(Debug, Default)]
pub struct UnfinishedBlock {
    text: Vec<u8>,
    previous_key: Vec<u8>,
    /// Key of the first entry in the block of a checkpoint index that is being filled.
    pub first_key: Vec<u8>,
    /// Number of entries in earlier blocks on the same level of the tree in a checkpoint index.
    pub earlier_entries: u64,
    entries: u64,
}

impl UnfinishedBlock {
    /// Whether no entry was appended to the block of a checkpoint index.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Whether the block of a checkpoint index or delta file is full: it has `BLOCK_BYTES` bytes or
    /// more, its checksum not included.
    pub fn is_full(&self) -> bool {
        self.text.len() >= BLOCK_BYTES
    }

    /// Appends an entry to the block of a checkpoint index; the keys have to come in sorted order.
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

    /// Appends the block to the checkpoint index or delta file, returns its position and length,
    /// and starts the next block on the same level of the tree.
    pub fn write(&mut self, out: &mut BlockOutput<impl Write>) -> io::Result<Span> {
        let place = out.block(&self.text)?;
        self.text.clear();
        self.previous_key.clear();
        self.earlier_entries += self.entries;
        self.entries = 0;
        Ok(place)
    }
}

/// Iterator over the entries of one block of a tree in a checkpoint index or its delta file.
#[derive(Debug)]
pub struct Entries<'b> {
    rest: &'b [u8],
    folds: bool,
    /// Position, from 0, of the iterator's next entry among all entries on the same level of the
    /// tree.
    pub number: u64,
    /// Key of the iterator's current entry; in lower case if `folds` was set.
    pub key: Vec<u8>,
}

impl<'b> Entries<'b> {
    /// Creates the iterator over the entries of a block in a checkpoint index or delta file; `text`
    /// is the block without its checksum. With `folds` the keys are converted to lower case. None
    /// if `text` is too short for a block.
    #[must_use]
    pub fn new(text: &'b [u8], folds: bool) -> Option<Self> {
        let (number, rest) = text.split_first_chunk::<8>()?;
        let number = u64::from_le_bytes(*number);
        Some(Entries { rest, folds, number, key: Vec::with_capacity(KEY_BYTES) })
    }

    /// Advances to the next entry of the block and returns its value; None at the end of the block,
    /// or if the block is damaged.
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
