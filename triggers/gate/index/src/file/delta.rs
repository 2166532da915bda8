//! The delta file of a checkpoint index: the changes since the checkpoint, as journals contain
//! them, in the numbers of files and revisions, in clients and in streams.
//!
//! The trees of counts store running sums: each entry contains the sum of all changes up to its
//! key, so the change in a range of keys is the difference of two entries.

use crate::base::numbers::{put_number, take_number};
use crate::file::change_trees::{ChangeTrees, Label, take_signed};
use crate::file::changed_client::ChangedClient;
use crate::file::position::Position;
use crate::file::stream::Stream;
use crate::file::tree::Tree;
use crate::file::trees::{IndexError, Magic, Trees};
use crate::ranges::range::{Extent, Range};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Signature at the start of a delta file, ending with the number of the file format.
pub const MAGIC: &Magic = b"p4warden delta 3";

/// Path of the delta file of a checkpoint index: the path of the index with the suffix `.delta`.
#[must_use]
pub fn delta_path(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".delta");
    PathBuf::from(name)
}

/// The head of a delta file, with the ID of its index, the journal position reached, and the
/// positions of its trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaHead {
    /// ID of the checkpoint index to which the delta file belongs.
    pub index_id: u32,
    /// Position up to which the server's journals were read, where the next update continues.
    pub read_to: Position,
    /// Latest time of the checkpoint index or of a journal transaction read, in seconds since the
    /// Unix epoch; 0 if no time was found.
    pub time_s: u64,
    /// Number of journal transactions read since the checkpoint, in all updates of the delta file
    /// together.
    pub transactions: u64,
    /// Positions of the trees of changes in the number of files and of revisions, with keys that
    /// begin with the depot path.
    pub counts: [Tree; 2],
    /// Positions of the trees of changes in the number of files and of revisions, with directory
    /// and file name as keys, for counts without subdirectories.
    pub directory_counts: [Tree; 2],
    /// Position of the tree of clients that journals changed since the checkpoint, with client
    /// names as keys.
    pub clients: Tree,
    /// Position of the tree of streams that journals changed since the checkpoint, with stream
    /// names as keys.
    pub streams: Tree,
    /// Positions of the trees about changelists and labels.
    pub changes: ChangeTrees,
}

impl DeltaHead {
    /// Encodes the head of a delta file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.index_id.into());
        self.read_to.put(&mut to);
        put_number(&mut to, self.time_s);
        put_number(&mut to, self.transactions);
        let trees = self.counts.iter().chain(&self.directory_counts);
        trees.chain([&self.clients, &self.streams]).for_each(|tree| tree.put(&mut to));
        self.changes.put(&mut to);
        to
    }

    /// Decodes the head of a delta file; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let index_id = u32::try_from(take_number(from)?).ok()?;
        let read_to = Position::take(from)?;
        let (time_s, transactions) = (take_number(from)?, take_number(from)?);
        let counts = [Tree::take(from)?, Tree::take(from)?];
        let directory_counts = [Tree::take(from)?, Tree::take(from)?];
        let (clients, streams) = (Tree::take(from)?, Tree::take(from)?);
        // An earlier version wrote heads without these trees.
        let changes =
            if from.is_empty() { ChangeTrees::default() } else { ChangeTrees::take(from)? };
        Some(DeltaHead {
            index_id,
            read_to,
            time_s,
            transactions,
            counts,
            directory_counts,
            clients,
            streams,
            changes,
        })
    }
}

/// An open delta file, with the server's changes since the checkpoint as journals contain them.
#[derive(Clone)]
pub struct Delta {
    trees: Trees,
    /// The head of the delta file, with the ID of its index, the journal position reached and the
    /// positions of its trees.
    pub head: Rc<DeltaHead>,
}

impl Delta {
    /// Reads and checks the head of an open delta file. An error if the file cannot be read, is no
    /// delta file or is truncated, or if its head is damaged.
    pub fn of_file(file: File) -> Result<Self, IndexError> {
        let (trees, text, _) = Trees::open(file, &[MAGIC])?;
        let head = Rc::new(DeltaHead::read(&text).ok_or(IndexError::Damaged)?);
        Ok(Delta { trees, head })
    }

    /// Creates a reader of a delta file that is still being written; `head` describes the trees
    /// written so far.
    #[must_use]
    pub fn of_unfinished_file(trees: Trees, head: DeltaHead) -> Self {
        Delta { trees, head: Rc::new(head) }
    }

    /// Returns a copy of this reader of a delta file that compares keys without case if `folds`,
    /// otherwise with case.
    #[must_use]
    pub fn with_folding(&self, folds: bool) -> Self {
        Delta { trees: self.trees.with_folding(folds), head: Rc::clone(&self.head) }
    }

    /// The change, since the checkpoint, in the number of records in a path range; `table` is 0 for
    /// files and 1 for revisions.
    pub fn count(&self, table: usize, range: &Range) -> Result<i64, IndexError> {
        let tree = |trees: &[Tree; 2]| trees.get(table).copied().unwrap_or_default();
        let counts = tree(&self.head.counts);
        match range.extent {
            Extent::Below => self.between(counts, &range.literal),
            Extent::Exactly => {
                let (path, revisions) = (&range.literal[..], [&range.literal[..], b"\0"].concat());
                let before = self.sum(counts, |key| key < path)?;
                let is_before = |key: &[u8]| key <= path || key.starts_with(&revisions);
                Ok(self.sum(counts, is_before)? - before)
            }
            Extent::Directly => {
                let (directory, name) = range.directory();
                let first = [directory, b"\0", name].concat();
                self.between(tree(&self.head.directory_counts), &first)
            }
        }
    }

    /// Looks up a client in the delta file; None if the file does not contain the client.
    pub fn client(&self, name: &[u8]) -> Result<Option<ChangedClient>, IndexError> {
        let value = self.trees.value(self.head.clients, name)?;
        value.map(|value| ChangedClient::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// Looks up a stream in the delta file; None if the file does not contain the stream.
    pub fn stream(&self, name: &[u8]) -> Result<Option<Stream>, IndexError> {
        let value = self.trees.value(self.head.streams, name)?;
        value.map(|value| Stream::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// Calls `visit` with the original key and the value of every entry of a tree of the delta
    /// file, in order.
    pub fn each(&self, tree: Tree, visit: impl FnMut(&[u8], &[u8])) -> Result<(), IndexError> {
        self.trees.each(tree, visit)
    }

    /// Looks up the change of a label; None if the delta file does not contain the label.
    pub fn label(&self, name: &[u8]) -> Result<Option<Label>, IndexError> {
        let value = self.trees.value(self.head.changes.labels, name)?;
        value.map(|value| Label::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// Value of the last key before a boundary in a tree of the delta file, where `is_before` is
    /// true exactly for the keys before the boundary; None if no key is before it.
    pub fn last_before(
        &self,
        tree: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        self.trees.last_before(tree, is_before)
    }

    /// The running sum of changes at the last key before a boundary in a tree; 0 if no key is
    /// before it.
    pub fn sum(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<i64, IndexError> {
        match self.trees.last_before(tree, is_before)? {
            None => Ok(0),
            Some(value) => take_signed(&mut &value[..]).ok_or(IndexError::Damaged),
        }
    }

    /// The sum of the changes of all keys in a tree that begin with `first`.
    fn between(&self, tree: Tree, first: &[u8]) -> Result<i64, IndexError> {
        let before = self.sum(tree, |key| key < first)?;
        Ok(self.sum(tree, |key| key < first || key.starts_with(first))? - before)
    }
}
