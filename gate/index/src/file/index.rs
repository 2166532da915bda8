//! Reads an index.

use crate::base::order::{Case, folded};
use crate::file::blocks::{Entries, Span, checked};
use crate::file::client::Client;
use crate::file::head::{Head, MAGIC, START_BYTES};
use crate::file::place::Place;
use crate::file::tree::{Tree, take_span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;

/// No block is longer: one entry may be as long as a record of a checkpoint.
const MAX_BLOCK_BYTES: u64 = 64 << 20;
/// So many blocks are kept for the next questions.
const MAX_KEPT: usize = 64;

/// Why an index gives no answer.
#[derive(Debug)]
pub enum Damaged {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// It is no index, or one of another version of p4warden.
    NoIndex,
    /// It is cut off or changed.
    Changed,
}

impl std::fmt::Display for Damaged {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Damaged::Unreadable(error) => write!(to, "{error}"),
            Damaged::NoIndex => {
                write!(to, "is no index of this version of p4warden; make it with p4warden index")
            }
            Damaged::Changed => {
                write!(to, "the index is cut off or damaged; make it again with p4warden index")
            }
        }
    }
}

impl From<io::Error> for Damaged {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Damaged::Changed,
            _ => Damaged::Unreadable(error),
        }
    }
}

/// An index that is open; a file that takes its place changes nothing in it.
pub struct Index {
    file: Rc<File>,
    /// The head of the index.
    pub head: Rc<Head>,
    /// Whether paths and names are compared with their letters folded.
    folds: bool,
    blocks: Rc<RefCell<HashMap<u64, Rc<[u8]>>>>,
}

impl Index {
    /// Opens an index, and reads its head.
    pub fn open(path: &Path) -> Result<Self, Damaged> {
        Self::of_file(File::open(path)?)
    }

    /// Reads the head of an index that is open.
    pub fn of_file(file: File) -> Result<Self, Damaged> {
        let mut start = [0; START_BYTES];
        if file.read_at(&mut start, 0)? < MAGIC.len() || !start.starts_with(MAGIC) {
            return Err(Damaged::NoIndex);
        }
        let place = head_place(&start).ok_or(Damaged::Changed)?;
        if place.at.checked_add(place.bytes) != Some(file.metadata()?.len()) {
            return Err(Damaged::Changed);
        }
        let block = read(&file, place)?;
        let head = checked(&block).and_then(Head::read).ok_or(Damaged::Changed)?;
        let folds = head.case.folds();
        Ok(Index { file: Rc::new(file), head: Rc::new(head), folds, blocks: Rc::default() })
    }

    /// Compares paths as a server does that tells cases apart, or does not; None where the order
    /// of the index is another's.
    #[must_use]
    pub fn for_server(&self, folds: bool) -> Option<Self> {
        let fits = self.head.case == Case::Either || self.head.case.folds() == folds;
        let (file, head) = (Rc::clone(&self.file), Rc::clone(&self.head));
        fits.then(|| Index { file, head, folds, blocks: Rc::clone(&self.blocks) })
    }

    /// Whether paths and names are compared with their letters folded.
    #[must_use]
    pub fn folds(&self) -> bool {
        self.folds
    }

    /// How many keys of a tree come before a point; `is_before` holds for those and no others.
    pub fn rank(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<u64, Damaged> {
        if tree.entries == 0 {
            return Ok(0);
        }
        let block = self.leaf(tree, &is_before)?;
        let mut entries = Entries::new(&block, self.folds).ok_or(Damaged::Changed)?;
        let mut before = entries.number;
        while entries.advance().is_some() && is_before(&entries.key) {
            before = entries.number;
        }
        Ok(before)
    }

    /// Facts about a client; None where the index does not name it.
    pub fn client(&self, name: &[u8]) -> Result<Option<Client>, Damaged> {
        let found = self.value(self.head.clients, name)?;
        found.map(|value| Client::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Facts about a depot, or about a directory at a depot's top: `//depot/` or `//depot/main/`.
    /// None where it has no files, and the server no such depot.
    pub fn place(&self, path: &[u8]) -> Result<Option<Place>, Damaged> {
        let found = self.value(self.head.places, path)?;
        found.map(|value| Place::read(&value).ok_or(Damaged::Changed)).transpose()
    }

    /// Some of the samples that begin with a literal, the first ones.
    pub fn some_samples(&self, tree: Tree, literal: &[u8]) -> Result<Vec<Vec<u8>>, Damaged> {
        let mut found = Vec::new();
        if tree.entries == 0 {
            return Ok(found);
        }
        let block = self.leaf(tree, &|key: &[u8]| key < literal)?;
        let mut entries = Entries::new(&block, self.folds).ok_or(Damaged::Changed)?;
        while entries.advance().is_some() {
            if entries.key.starts_with(literal) {
                found.push(entries.key.clone());
            }
        }
        Ok(found)
    }

    fn value(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, Damaged> {
        let key = folded(key, self.folds);
        if tree.entries == 0 {
            return Ok(None);
        }
        let block = self.leaf(tree, &|found: &[u8]| found <= &key[..])?;
        let mut entries = Entries::new(&block, self.folds).ok_or(Damaged::Changed)?;
        while let Some(value) = entries.advance() {
            if entries.key == key {
                return Ok(Some(value.to_vec()));
            }
        }
        Ok(None)
    }

    /// Hands over every entry of a tree, in order, with its key as it was written.
    pub fn each(&self, tree: Tree, mut told: impl FnMut(&[u8], &[u8])) -> Result<(), Damaged> {
        if tree.entries == 0 {
            return Ok(());
        }
        self.each_below(tree.root, tree.inner_levels, &mut told)
    }

    fn each_below(
        &self,
        place: Span,
        levels: u64,
        told: &mut impl FnMut(&[u8], &[u8]),
    ) -> Result<(), Damaged> {
        let block = read(&self.file, place)?;
        let text = checked(&block).ok_or(Damaged::Changed)?;
        let mut entries = Entries::new(text, false).ok_or(Damaged::Changed)?;
        while let Some(mut value) = entries.advance() {
            if levels > 0 {
                let below = take_span(&mut value).ok_or(Damaged::Changed)?;
                self.each_below(below, levels - 1, told)?;
            } else {
                told(&entries.key, value);
            }
        }
        Ok(())
    }

    /// The block with the last entry that is before a point, or the first one where none is.
    fn leaf(&self, tree: Tree, is_before: &impl Fn(&[u8]) -> bool) -> Result<Rc<[u8]>, Damaged> {
        let mut block = self.block(tree.root)?;
        for _ in 0..tree.inner_levels {
            let mut entries = Entries::new(&block, self.folds).ok_or(Damaged::Changed)?;
            let mut below = entries.advance().ok_or(Damaged::Changed)?;
            while let Some(next) = entries.advance() {
                if !is_before(&entries.key) {
                    break;
                }
                below = next;
            }
            let place = take_span(&mut below).ok_or(Damaged::Changed)?;
            block = self.block(place)?;
        }
        Ok(block)
    }

    fn block(&self, place: Span) -> Result<Rc<[u8]>, Damaged> {
        if let Some(block) = self.blocks.borrow().get(&place.at) {
            return Ok(Rc::clone(block));
        }
        let block = read(&self.file, place)?;
        let text: Rc<[u8]> = Rc::from(checked(&block).ok_or(Damaged::Changed)?);
        let mut kept = self.blocks.borrow_mut();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(place.at, Rc::clone(&text));
        Ok(text)
    }
}

fn head_place(start: &[u8; START_BYTES]) -> Option<Span> {
    let (text, crc) = start.split_last_chunk::<4>()?;
    if crc32fast::hash(text) != u32::from_le_bytes(*crc) {
        return None;
    }
    let (at, bytes) = text.get(MAGIC.len()..)?.split_first_chunk::<8>()?;
    let bytes = u64::from(u32::from_le_bytes(*bytes.first_chunk::<4>()?));
    Some(Span { at: u64::from_le_bytes(*at), bytes })
}

fn read(file: &File, place: Span) -> Result<Vec<u8>, Damaged> {
    if place.bytes > MAX_BLOCK_BYTES {
        return Err(Damaged::Changed);
    }
    let mut block = vec![0; place.bytes as usize];
    file.read_exact_at(&mut block, place.at)?;
    Ok(block)
}
