//! Estimates from a checkpoint index the number of records of `db.revcx` in a range of changelists,
//! and finds the changelists of a period.

use crate::base::numbers::{ordered, take_number};
use crate::estimate::count::Estimate;
use crate::file::change_trees::ChangeBlock;
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
        self.head.changes.map(|changes| self.count_in(changes.counts, range)).transpose()
    }

    /// The number of records of `db.change`, pending changelists included, in a range, as
    /// `count_changes`.
    pub fn count_changelists(&self, range: ChangeRange) -> Result<Option<Estimate>, IndexError> {
        self.head.changes.map(|changes| self.count_in(changes.changelists, range)).transpose()
    }

    /// The newest changelist of the checkpoint, pending ones included; 0 if it has none.
    pub fn newest_changelist(&self) -> Result<u64, IndexError> {
        let tree = self.head.changes.unwrap_or_default().changelists;
        Ok(self.block_at(tree, |_| true)?.map_or(0, |block| block.last))
    }

    /// The number of the newest changelist that the server's counter or the checkpoint names; None
    /// if neither does.
    pub fn newest_change(&self) -> Result<Option<u64>, IndexError> {
        let submitted = self.last_change_until(u64::MAX)?;
        Ok(self.head.change.max(submitted))
    }

    /// The first changelist at or after a time, in seconds since the Unix epoch, or an earlier one
    /// of the same block; None if there is none.
    pub fn first_change_since(&self, time_s: u64) -> Result<Option<u64>, IndexError> {
        let starts = self.head.changes.unwrap_or_default().starts;
        let first = self.change_at(starts, |key| key < &key_of(time_s.max(1))[..])?;
        Ok(first.filter(|next| *next > 0))
    }

    /// The last changelist at or before a time, in seconds since the Unix epoch, or a later one of
    /// the same block; None if there is none.
    pub fn last_change_until(&self, time_s: u64) -> Result<Option<u64>, IndexError> {
        let ends = self.head.changes.unwrap_or_default().ends;
        self.change_at(ends, |key| key <= &key_of(time_s)[..])
    }

    fn change_at(
        &self,
        tree: Tree,
        is_before: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<u64>, IndexError> {
        let value = self.last_before(tree, is_before)?;
        value.map(|value| take_number(&mut &value[..]).ok_or(IndexError::Damaged)).transpose()
    }

    fn count_in(&self, blocks: Tree, range: ChangeRange) -> Result<Estimate, IndexError> {
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
        let at_least = whole_end.saturating_sub(whole_start);
        Ok(Estimate::between(at_least, end.saturating_sub(start)))
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

/// The key of a changelist or of a time, which are numbers of 32 bits in p4d.
fn key_of(number: u64) -> [u8; 7] {
    ordered(u32::try_from(number).unwrap_or(u32::MAX))
}
