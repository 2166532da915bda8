use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::file::tree::Tree;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeTrees {
    /// Of `db.revcx`.
    pub records: u64,
    /// `ChangeBlock`s with their first changelist as key.
    pub counts: Tree,
    /// Of the records of `db.change`, pending changelists included, as `counts`.
    pub changelists: Tree,
    /// Finds the first changelist at or after a time: keys are the latest times up to a changelist,
    /// values the number of the changelist after it, 0 for none; the key 0 is before the first
    /// changelist.
    pub starts: Tree,
    /// Finds the last changelist at or before a time: keys are the earliest times from a changelist
    /// on, values its number.
    pub ends: Tree,
    pub labels: Tree,
}

/// Successive changelists with few records together, or a single changelist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeBlock {
    pub last: u64,
    pub records_before: u64,
    pub records: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    pub files: u64,
    /// Such as `@15`; empty for a static label.
    pub revision: Vec<u8>,
}

impl ChangeTrees {
    pub fn put(self, to: &mut Vec<u8>) {
        put_number(to, self.records);
        let trees = [self.counts, self.changelists, self.starts, self.ends, self.labels];
        trees.iter().for_each(|tree| tree.put(to));
    }

    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let records = take_number(from)?;
        let mut tree = || Tree::take(from);
        let (counts, changelists) = (tree()?, tree()?);
        let (starts, ends, labels) = (tree()?, tree()?, tree()?);
        Some(ChangeTrees { records, counts, changelists, starts, ends, labels })
    }
}

impl ChangeBlock {
    /// The number of records up to the end of the block.
    pub fn end(self) -> u64 {
        self.records_before.saturating_add(self.records)
    }

    pub fn bytes(self) -> Vec<u8> {
        let mut to = Vec::new();
        [self.last, self.records_before, self.records]
            .iter()
            .for_each(|number| put_number(&mut to, *number));
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let last = take_number(from)?;
        Some(ChangeBlock { last, records_before: take_number(from)?, records: take_number(from)? })
    }
}

impl Label {
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.files);
        put_text(&mut to, &self.revision);
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        Some(Label { files: take_number(from)?, revision: take_text(from)?.to_vec() })
    }
}
