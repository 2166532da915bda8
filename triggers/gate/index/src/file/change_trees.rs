use crate::base::numbers::{put_number, put_text, take_number, take_text};
use crate::file::tree::Tree;

/// The same trees, with other values, are in the delta file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeTrees {
    /// Of `db.revcx` in the checkpoint; 0 in a delta file.
    pub records: u64,
    /// By changelist: in an index, `ChangeBlock`s with their first changelist as key; in a delta
    /// file, running sums with every changed changelist as key.
    pub counts: Tree,
    /// Numbers of `db.change` records, pending changelists included, by changelist: in an index,
    /// `ChangeBlock`s; in a delta file, running sums.
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
    /// In a delta file, the change of the number of files.
    pub files: i64,
    /// Such as `@15`; empty for a static label, None in a delta file if the label was not saved.
    pub revision: Option<Vec<u8>>,
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
    #[must_use]
    pub fn end(self) -> u64 {
        self.records_before.saturating_add(self.records)
    }

    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        let mut to = Vec::new();
        [self.last, self.records_before, self.records]
            .iter()
            .for_each(|number| put_number(&mut to, *number));
        to
    }

    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let last = take_number(from)?;
        Some(ChangeBlock { last, records_before: take_number(from)?, records: take_number(from)? })
    }
}

impl Label {
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_signed(&mut to, self.files);
        put_number(&mut to, u64::from(self.revision.is_some()));
        put_text(&mut to, self.revision.as_deref().unwrap_or_default());
        to
    }

    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let files = take_signed(from)?;
        let is_saved = take_number(from)? > 0;
        let revision = Some(take_text(from)?.to_vec()).filter(|_| is_saved);
        Some(Label { files, revision })
    }
}

/// Small absolute values take few bytes.
pub fn put_signed(to: &mut Vec<u8>, number: i64) {
    put_number(to, (number << 1 ^ number >> 63) as u64);
}

pub fn take_signed(from: &mut &[u8]) -> Option<i64> {
    let number = take_number(from)?;
    Some((number >> 1) as i64 ^ -((number & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn signed_numbers_are_decoded_unchanged(number: i64) {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            prop_assert_eq!(take_signed(&mut &bytes[..]), Some(number));
        }

        #[test]
        fn labels_are_decoded_unchanged(files: i64, revision: Option<Vec<u8>>) {
            let label = Label { files, revision };
            prop_assert_eq!(Label::read(&label.bytes()), Some(label));
        }
    }
}
