use crate::base::checksum::checksum;
use crate::base::order::folded_key;
use crate::file::blocks::{CHECKSUM_BYTES, Entries, Span, checked_content};
use crate::file::tree::{Tree, take_span};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// Signature, offset of the head (8 bytes), length of the head (4 bytes), and the checksum of these
/// 28 bytes.
pub const START_BYTES: usize = 32;
/// Ends with the number of the file format.
pub const MAGIC: &[u8; 16] = b"p4warden index 9";
/// A longer block counts as damage.
const MAX_BLOCK_BYTES: u64 = 64 << 20;
/// Kept in memory for further lookups.
const MAX_BLOCKS: usize = 64;

#[derive(Debug)]
pub enum IndexError {
    Unreadable(io::Error),
    /// Or a file of another version of p4warden.
    NoIndex,
    Damaged,
}

impl std::fmt::Display for IndexError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            IndexError::Unreadable(error) => write!(to, "{error}"),
            IndexError::NoIndex => to.write_str(
                "is not an index of this version of p4warden; make it with p4warden index",
            ),
            IndexError::Damaged => {
                to.write_str("the index is cut off or damaged; make it again with p4warden index")
            }
        }
    }
}

impl From<io::Error> for IndexError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => IndexError::Damaged,
            _ => IndexError::Unreadable(error),
        }
    }
}

/// Its checksum is valid.
struct Block(Vec<u8>);

impl Block {
    fn entries(&self, folds: bool) -> Result<Entries<'_>, IndexError> {
        let text = self.0.get(CHECKSUM_BYTES..).unwrap_or_default();
        Entries::new(text, folds).ok_or(IndexError::Damaged)
    }
}

/// If the file is replaced on disk, the old content stays readable.
#[derive(Clone)]
pub struct Trees {
    file: Rc<File>,
    pub folds: bool,
    blocks: Rc<RefCell<BTreeMap<u64, Rc<Block>>>>,
    /// Of the first block that could not be read.
    pub damage: Rc<OnceCell<String>>,
}

impl Trees {
    /// Checks the signature, the length and the head; also returns the encoded head.
    pub fn open(file: File) -> Result<(Self, Vec<u8>), IndexError> {
        let mut start = [0; START_BYTES];
        let read_bytes = file.read_at(&mut start, 0)?;
        if read_bytes < MAGIC.len() || !start.starts_with(MAGIC) {
            return Err(IndexError::NoIndex);
        }
        let place = head_place(&start).ok_or(IndexError::Damaged)?;
        if place.offset.checked_add(place.bytes) != Some(file.metadata()?.len()) {
            return Err(IndexError::Damaged);
        }
        let block = read(&file, place)?;
        let head = checked_content(&block).ok_or(IndexError::Damaged)?.to_vec();
        let trees = Trees {
            file: Rc::new(file),
            folds: false,
            blocks: Rc::default(),
            damage: Rc::default(),
        };
        Ok((trees, head))
    }

    pub fn with_folding(&self, folds: bool) -> Self {
        Trees { folds, ..self.clone() }
    }

    /// Number of keys before a boundary; `is_before` is true exactly for these keys.
    pub fn rank(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<u64, IndexError> {
        if tree.entries == 0 {
            return Ok(0);
        }
        let block = self.leaf(tree, &is_before)?;
        let mut entries = block.entries(self.folds)?;
        let mut before = entries.number;
        while entries.advance().is_some() && is_before(&entries.key) {
            before = entries.number;
        }
        Ok(before)
    }

    /// Value of the last key before a boundary.
    pub fn last_before(
        &self,
        tree: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        if tree.entries == 0 {
            return Ok(None);
        }
        let block = self.leaf(tree, &is_before)?;
        let mut entries = block.entries(self.folds)?;
        let mut last = None;
        while let Some(value) = entries.advance() {
            if !is_before(&entries.key) {
                break;
            }
            last = Some(value);
        }
        Ok(last.map(<[u8]>::to_vec))
    }

    /// The first key that is not before `from`; in lower case if case is ignored.
    pub fn first_from(&self, tree: Tree, from: &[u8]) -> Result<Option<Vec<u8>>, IndexError> {
        if tree.entries == 0 {
            return Ok(None);
        }
        let (block, next_block) = self.leaf_and_next(tree, &|key: &[u8]| key < from)?;
        let mut entries = block.entries(self.folds)?;
        while entries.advance().is_some() {
            if &entries.key[..] >= from {
                return Ok(Some(entries.key.clone()));
            }
        }
        Ok(next_block)
    }

    pub fn value(&self, tree: Tree, key: &[u8]) -> Result<Option<Vec<u8>>, IndexError> {
        let key = folded_key(key, self.folds);
        if tree.entries == 0 {
            return Ok(None);
        }
        let block = self.leaf(tree, &|other: &[u8]| other <= &key[..])?;
        let mut entries = block.entries(self.folds)?;
        while let Some(value) = entries.advance() {
            if entries.key == key {
                return Ok(Some(value.to_vec()));
            }
        }
        Ok(None)
    }

    /// In order, with the original keys.
    pub fn each(&self, tree: Tree, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), IndexError> {
        if tree.entries == 0 {
            return Ok(());
        }
        self.each_below(tree.root, tree.inner_levels, &mut visit)
    }

    fn each_below(
        &self,
        place: Span,
        levels: u64,
        visit: &mut impl FnMut(&[u8], &[u8]),
    ) -> Result<(), IndexError> {
        let block = read(&self.file, place)?;
        let text = checked_content(&block).ok_or(IndexError::Damaged)?;
        let mut entries = Entries::new(text, false).ok_or(IndexError::Damaged)?;
        while let Some(mut value) = entries.advance() {
            if levels > 0 {
                let child = take_span(&mut value).ok_or(IndexError::Damaged)?;
                self.each_below(child, levels - 1, visit)?;
            } else {
                visit(&entries.key, value);
            }
        }
        Ok(())
    }

    fn leaf(
        &self,
        tree: Tree,
        is_before: &impl Fn(&[u8]) -> bool,
    ) -> Result<Rc<Block>, IndexError> {
        Ok(self.leaf_and_next(tree, is_before)?.0)
    }

    /// The block with the last entry before the boundary, or the first block if there is none, and the
    /// first key of the block behind it.
    fn leaf_and_next(
        &self,
        tree: Tree,
        is_before: &impl Fn(&[u8]) -> bool,
    ) -> Result<(Rc<Block>, Option<Vec<u8>>), IndexError> {
        let (mut block, mut next_key) = (self.block(tree.root)?, None);
        for _ in 0..tree.inner_levels {
            let mut entries = block.entries(self.folds)?;
            let mut child = entries.advance().ok_or(IndexError::Damaged)?;
            while let Some(next) = entries.advance() {
                if !is_before(&entries.key) {
                    next_key = Some(entries.key.clone());
                    break;
                }
                child = next;
            }
            let place = take_span(&mut child).ok_or(IndexError::Damaged)?;
            block = self.block(place)?;
        }
        Ok((block, next_key))
    }

    fn block(&self, place: Span) -> Result<Rc<Block>, IndexError> {
        if let Some(block) = self.blocks.borrow().get(&place.offset) {
            return Ok(Rc::clone(block));
        }
        let block = checked_block(&self.file, place);
        let block = block.inspect_err(|error| {
            self.damage.get_or_init(|| error.to_string());
        });
        let block = Rc::new(block?);
        let mut blocks = self.blocks.borrow_mut();
        if blocks.len() >= MAX_BLOCKS {
            blocks.clear();
        }
        blocks.insert(place.offset, Rc::clone(&block));
        Ok(block)
    }
}

fn head_place(start: &[u8; START_BYTES]) -> Option<Span> {
    let (text, sum) = start.split_last_chunk::<4>()?;
    if checksum(text) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (at, bytes) = text.get(MAGIC.len()..)?.split_first_chunk::<8>()?;
    let bytes = u64::from(u32::from_le_bytes(*bytes.first_chunk::<4>()?));
    Some(Span { offset: u64::from_le_bytes(*at), bytes })
}

fn checked_block(file: &File, place: Span) -> Result<Block, IndexError> {
    let block = read(file, place)?;
    checked_content(&block).ok_or(IndexError::Damaged)?;
    Ok(Block(block))
}

fn read(file: &File, place: Span) -> Result<Vec<u8>, IndexError> {
    if place.bytes > MAX_BLOCK_BYTES {
        return Err(IndexError::Damaged);
    }
    let mut block = vec![0; place.bytes as usize];
    file.read_exact_at(&mut block, place.offset)?;
    Ok(block)
}
