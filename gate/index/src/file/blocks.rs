//! Blocks of front-coded entries, each with a checksum.
//!
//! A block is: CRC-32 of the rest (4 bytes), the number of its first entry among all of the tree
//! (8 bytes), then entries: how many bytes the key shares with the one before it, how many it has
//! of its own, the length of the value, those bytes, the value.

use crate::base::numbers::{put_number, take, take_number};
use crate::base::order::shared_bytes;
use std::io::{self, Write};

/// A block is full with so many bytes; with its last entry it may be longer.
const BLOCK_BYTES: usize = 1024;

/// Where a block is in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its first byte.
    pub at: u64,
    /// Its length.
    pub bytes: u64,
}

/// The file that blocks are appended to.
pub struct Out<W> {
    to: W,
    at: u64,
}

impl<W: Write> Out<W> {
    /// Appends to a file that has so many bytes.
    pub fn new(to: W, at: u64) -> Self {
        Out { to, at }
    }

    /// How long the file is.
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Writes what is held back.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// Appends a text with its checksum.
    pub fn block(&mut self, text: &[u8]) -> io::Result<Span> {
        self.to.write_all(&crc32fast::hash(text).to_le_bytes())?;
        self.to.write_all(text)?;
        let place = Span { at: self.at, bytes: text.len() as u64 + 4 };
        self.at += place.bytes;
        Ok(place)
    }
}

/// The text of a block whose checksum is right.
#[must_use]
pub fn checked(block: &[u8]) -> Option<&[u8]> {
    let (crc, text) = block.split_first_chunk::<4>()?;
    (crc32fast::hash(text) == u32::from_le_bytes(*crc)).then_some(text)
}

/// A block that is being filled.
#[derive(Debug, Default)]
pub struct Filling {
    text: Vec<u8>,
    previous: Vec<u8>,
    /// The first key in it.
    pub first_key: Vec<u8>,
    /// How many entries came before those in it.
    pub before: u64,
    entries: u64,
}

impl Filling {
    /// Whether there is no entry in it.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Whether it is as long as a block gets.
    pub fn is_full(&self) -> bool {
        self.text.len() >= BLOCK_BYTES
    }

    /// Appends an entry.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        if self.is_empty() {
            self.text.extend_from_slice(&self.before.to_le_bytes());
            self.first_key = key.to_vec();
        }
        let shared = shared_bytes(&self.previous, key);
        let own = key.get(shared..).unwrap_or_default();
        put_number(&mut self.text, shared as u64);
        put_number(&mut self.text, own.len() as u64);
        put_number(&mut self.text, value.len() as u64);
        self.text.extend_from_slice(own);
        self.text.extend_from_slice(value);
        self.previous.truncate(shared);
        self.previous.extend_from_slice(own);
        self.entries += 1;
    }

    /// Writes it, and begins the next one.
    pub fn write(&mut self, out: &mut Out<impl Write>) -> io::Result<Span> {
        let place = out.block(&self.text)?;
        self.text.clear();
        self.previous.clear();
        self.before += self.entries;
        self.entries = 0;
        Ok(place)
    }
}

/// The entries of a block.
#[derive(Debug)]
pub struct Entries<'b> {
    rest: &'b [u8],
    folds: bool,
    /// The number of the entry that comes next, among all of the tree.
    pub number: u64,
    /// The key of the last entry.
    pub key: Vec<u8>,
}

impl<'b> Entries<'b> {
    /// Reads a block's text; keys come folded, or as they are. None where it is no block.
    #[must_use]
    pub fn new(text: &'b [u8], folds: bool) -> Option<Self> {
        let (number, rest) = text.split_first_chunk::<8>()?;
        let number = u64::from_le_bytes(*number);
        Some(Entries { rest, folds, number, key: Vec::new() })
    }

    /// Goes to the next entry, and returns its value; None at the end.
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
