//! The changes since the checkpoint, as journals contain them. The trees of counts store running
//! sums: each entry contains the sum of all changes up to its key, so the change in a range of keys
//! is the difference of two entries.

use crate::base::numbers::{put_number, take_number};
use crate::file::change_trees::{ChangeTrees, Label, take_signed};
use crate::file::changed_client::ChangedClient;
use crate::file::position::Position;
use crate::file::stream::Stream;
use crate::file::stream_view::StreamView;
use crate::file::tree::Tree;
use crate::file::trees::{IndexError, Magic, Trees};
use crate::ranges::range::{Extent, Range};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Ends with the number of the file format.
pub const MAGIC: &Magic = b"p4warden delta 4";
/// A delta file without the owners of clients.
pub const WITHOUT_OWNERS: &Magic = b"p4warden delta 3";

#[must_use]
pub fn delta_path(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".delta");
    PathBuf::from(name)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeltaHead {
    pub index_id: u32,
    /// Where the next update continues.
    pub read_to: Position,
    /// Of the index or of a transaction read, in seconds since the Unix epoch; 0 if none was found.
    pub time_s: u64,
    /// Since the checkpoint, in all updates together.
    pub transactions: u64,
    /// Of files and of revisions, with keys that begin with the depot path.
    pub counts: [Tree; 2],
    /// With directory and file name as keys, for counts without subdirectories.
    pub directory_counts: [Tree; 2],
    pub clients: Tree,
    pub streams: Tree,
    pub changes: ChangeTrees,
    pub stream_views: Tree,
}

impl DeltaHead {
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
        self.stream_views.put(&mut to);
        to
    }

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
        let stream_views = if from.is_empty() { Tree::default() } else { Tree::take(from)? };
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
            stream_views,
        })
    }
}

#[derive(Clone)]
pub struct Delta {
    trees: Trees,
    pub head: Rc<DeltaHead>,
}

impl Delta {
    /// Fails if the file cannot be read, is no delta file or is truncated, or if its head is
    /// damaged.
    pub fn of_file(file: File) -> Result<Self, IndexError> {
        let (trees, text, _) = Trees::open(file, &[MAGIC, WITHOUT_OWNERS])?;
        let head = Rc::new(DeltaHead::read(&text).ok_or(IndexError::Damaged)?);
        Ok(Delta { trees, head })
    }

    #[must_use]
    pub fn of_unfinished_file(trees: Trees, head: DeltaHead) -> Self {
        Delta { trees, head: Rc::new(head) }
    }

    #[must_use]
    pub fn with_folding(&self, folds: bool) -> Self {
        Delta { trees: self.trees.with_folding(folds), head: Rc::clone(&self.head) }
    }

    /// `table` is 0 for files and 1 for revisions.
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

    pub fn client(&self, name: &[u8]) -> Result<Option<ChangedClient>, IndexError> {
        let value = self.trees.value(self.head.clients, name)?;
        value.map(|value| ChangedClient::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    pub fn stream(&self, name: &[u8]) -> Result<Option<Stream>, IndexError> {
        let value = self.trees.value(self.head.streams, name)?;
        value.map(|value| Stream::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    pub fn stream_view(&self, name: &[u8]) -> Result<Option<StreamView>, IndexError> {
        let value = self.trees.value(self.head.stream_views, name)?;
        value.map(|value| StreamView::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// In order, with the original keys.
    pub fn each(&self, tree: Tree, visit: impl FnMut(&[u8], &[u8])) -> Result<(), IndexError> {
        self.trees.each(tree, visit)
    }

    pub fn label(&self, name: &[u8]) -> Result<Option<Label>, IndexError> {
        let value = self.trees.value(self.head.changes.labels, name)?;
        value.map(|value| Label::read(&value).ok_or(IndexError::Damaged)).transpose()
    }

    /// Value of the last key before a boundary.
    pub fn last_before(
        &self,
        tree: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        self.trees.last_before(tree, is_before)
    }

    /// The running sum at the last key before a boundary; 0 if no key is before it.
    pub fn sum(&self, tree: Tree, is_before: impl Fn(&[u8]) -> bool) -> Result<i64, IndexError> {
        match self.trees.last_before(tree, is_before)? {
            None => Ok(0),
            Some(value) => take_signed(&mut &value[..]).ok_or(IndexError::Damaged),
        }
    }

    fn between(&self, tree: Tree, first: &[u8]) -> Result<i64, IndexError> {
        let before = self.sum(tree, |key| key < first)?;
        Ok(self.sum(tree, |key| key < first || key.starts_with(first))? - before)
    }
}
