//! Estimates from a checkpoint index and its delta file the number of records of `db.revcx` in a
//! range of changelists, and finds the changelists of a period and the files of a label.

use crate::base::numbers::{ordered, take_number};
use crate::estimate::count::Estimate;
use crate::file::change_trees::{ChangeBlock, ChangeTrees, Label};
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::tree::Tree;
use crate::file::trees::IndexError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRange {
    pub first: u64,
    /// Number of the last changelist; None for the newest.
    pub last: Option<u64>,
}

impl Index {
    /// The number of records of `db.revcx` in a range of changelists, at most twice the largest
    /// block of several changelists too high or too low; None if the index has no such counts.
    pub fn count_changes(&self, range: ChangeRange) -> Result<Option<Estimate>, IndexError> {
        let Some(changes) = self.head.changes else {
            return Ok(None);
        };
        let later = |trees: ChangeTrees| trees.counts;
        Ok(Some(self.count_in(changes.counts, later, range)?))
    }

    /// The number of records of `db.change`, pending changelists included, in a range, as
    /// `count_changes`.
    pub fn count_changelists(&self, range: ChangeRange) -> Result<Option<Estimate>, IndexError> {
        let Some(changes) = self.head.changes else {
            return Ok(None);
        };
        let later = |trees: ChangeTrees| trees.changelists;
        Ok(Some(self.count_in(changes.changelists, later, range)?))
    }

    /// The newest changelist of the checkpoint, pending ones included; 0 if it has none.
    pub fn newest_changelist_of_checkpoint(&self) -> Result<u64, IndexError> {
        let tree = self.head.changes.unwrap_or_default().changelists;
        Ok(self.block_at(tree, |_| true)?.map_or(0, |block| block.last))
    }

    /// The number of the newest changelist that the server's counter, the checkpoint or a journal
    /// names; None if none does.
    pub fn newest_change(&self) -> Result<Option<u64>, IndexError> {
        let submitted = self.last_change_until(u64::MAX)?;
        Ok(self.head.change.max(submitted))
    }

    /// The first changelist at or after a time, in seconds since the Unix epoch, or an earlier one
    /// of the same block; None if there is none.
    pub fn first_change_since(&self, time_s: u64) -> Result<Option<u64>, IndexError> {
        let mut first = None;
        for (changes, is_delta) in self.change_trees() {
            let before = |key: &[u8]| key < &key_of(time_s.max(1))[..];
            let found = self.change_in(changes.starts, is_delta, before)?.filter(|next| *next > 0);
            first = first.into_iter().chain(found).min();
        }
        Ok(first)
    }

    /// The last changelist at or before a time, in seconds since the Unix epoch, or a later one of
    /// the same block; None if there is none.
    pub fn last_change_until(&self, time_s: u64) -> Result<Option<u64>, IndexError> {
        let mut last = None;
        for (changes, is_delta) in self.change_trees() {
            let until = |key: &[u8]| key <= &key_of(time_s)[..];
            last = last.max(self.change_in(changes.ends, is_delta, until)?);
        }
        Ok(last)
    }

    /// Looks up a label with its number of files; None if it is unknown, or if its files are not in
    /// the index.
    pub fn label(&self, name: &[u8]) -> Result<Option<Label>, IndexError> {
        let later = match &self.delta {
            Some(delta) => delta.label(name)?,
            None => None,
        };
        let known = self.label_of_checkpoint(name)?;
        let files = [&known, &later].into_iter().flatten().map(|label| label.files).sum();
        let revision = later.and_then(|label| label.revision);
        let revision = revision.or(known.and_then(|label| label.revision)).unwrap_or_default();
        let label = Label { files, revision: Some(revision).filter(|text| !text.is_empty()) };
        Ok(Some(label).filter(|label| label.files > 0 || label.revision.is_some()))
    }

    fn change_trees(&self) -> impl Iterator<Item = (ChangeTrees, bool)> + use<> {
        let delta = self.delta.as_ref().map(|delta| (delta.head.changes, true));
        self.head.changes.map(|changes| (changes, false)).into_iter().chain(delta)
    }

    fn change_in(
        &self,
        tree: Tree,
        is_delta: bool,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<u64>, IndexError> {
        let value = match self.delta.as_ref().filter(|_| is_delta) {
            Some(delta) => delta.last_before(tree, is_before)?,
            None => self.last_before(tree, is_before)?,
        };
        value.map(|value| take_number(&mut &value[..]).ok_or(IndexError::Damaged)).transpose()
    }

    /// The records in a range by a tree of blocks and by the running sums of the delta file.
    fn count_in(
        &self,
        blocks: Tree,
        later: impl Fn(ChangeTrees) -> Tree,
        range: ChangeRange,
    ) -> Result<Estimate, IndexError> {
        if range.last.is_some_and(|last| last < range.first) {
            return Ok(Estimate::default());
        }
        let is_before_end = |key: &[u8]| range.last.is_none_or(|last| key <= &key_of(last)[..]);
        let last = self.block_at(blocks, is_before_end)?;
        let end = last.map_or(0, ChangeBlock::end);
        let is_whole = |last: &ChangeBlock| range.last.is_none_or(|end| last.last <= end);
        let whole_end =
            last.map_or(0, |last| if is_whole(&last) { end } else { last.records_before });
        let first = self.block_at(blocks, |key| key <= &key_of(range.first)[..])?;
        let before = self.block_at(blocks, |key| key < &key_of(range.first)[..])?;
        let (start, whole_start) = match first {
            Some(first) if range.first > first.last => (first.end(), first.end()),
            Some(first) if before == Some(first) => (first.records_before, first.end()),
            Some(first) => (first.records_before, first.records_before),
            None => (0, 0),
        };
        let later =
            self.delta.as_ref().map(|delta| later_records(delta, later(delta.head.changes), range));
        let later = later.transpose()?.unwrap_or(0);
        let [at_most, at_least] = [(start, end), (whole_start, whole_end)]
            .map(|(start, end)| end.saturating_sub(start).saturating_add_signed(later));
        Ok(Estimate { at_least, likely: at_most, at_most })
    }

    /// The last block that begins before a changelist.
    fn block_at(
        &self,
        blocks: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<ChangeBlock>, IndexError> {
        let value = self.last_before(blocks, is_before)?;
        value.map(|value| ChangeBlock::read(&value).ok_or(IndexError::Damaged)).transpose()
    }
}

fn later_records(delta: &Delta, sums: Tree, range: ChangeRange) -> Result<i64, IndexError> {
    let end = match range.last {
        Some(last) => delta.sum(sums, |key| key <= &key_of(last)[..])?,
        None => delta.sum(sums, |_| true)?,
    };
    Ok(end - delta.sum(sums, |key| key < &key_of(range.first)[..])?)
}

/// The key of a changelist or of a time, which are numbers of 32 bits in p4d.
fn key_of(number: u64) -> [u8; 7] {
    ordered(u32::try_from(number).unwrap_or(u32::MAX))
}
