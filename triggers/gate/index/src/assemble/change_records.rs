//! Collects the numbers of `db.revcx` records by changelist, the times of changelists and the files
//! of labels, from checkpoints and journals.
//!
//! A checkpoint's records of one table are sorted, in ascending or descending order, so successive
//! changelists are counted together. What journals change is kept by changelist.

use crate::assemble::rows::{Domain, LABEL};
use crate::assemble::store::Store;
use crate::base::order::folded_key;
use crate::file::change_trees::Label;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::fields::Fields;
use crate::source::table::{Head, Kind, Table};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;

/// Largest number of records of a block of several changelists. An estimate of a range is too large
/// by less than twice this number.
pub const BLOCK_RECORDS: u64 = 250;
/// Status in `db.change` of a submitted changelist.
const SUBMITTED: i64 = 1;

/// Successive changelists whose records are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub first: u64,
    pub last: u64,
    pub records: u64,
}

pub struct ChangeRecords {
    blocks: Vec<Block>,
    /// The changelist being counted, which is not yet in `blocks`.
    changelist: Option<Block>,
    path: Vec<u8>,
    /// By how much journals changed the number of records of a changelist.
    later: BTreeMap<u64, i64>,
    /// Of changelists, by their numbers; those of submitted ones have times and, with
    /// `has_clients`, clients.
    pub times: Store,
    has_clients: bool,
    labels: HashMap<Vec<u8>, Label>,
}

pub struct CollectedChanges {
    /// Blocks in the order of their changelists; None if the order of the records shows no blocks.
    pub blocks: Option<Vec<Block>>,
    /// As in `ChangeRecords`, as sorted runs.
    pub times: Vec<Run>,
    /// The labels, by their names as the server compares them.
    pub labels: BTreeMap<Vec<u8>, (Vec<u8>, Label)>,
}

impl ChangeRecords {
    pub fn new(temporary: &TemporaryFolder, has_clients: bool) -> Self {
        ChangeRecords {
            blocks: Vec::new(),
            changelist: None,
            path: Vec::new(),
            later: BTreeMap::new(),
            times: Store::Sorting(Vec::new(), Sorter::new(temporary.clone(), false)),
            has_clients,
            labels: HashMap::new(),
        }
    }

    /// Takes a record of `db.revcx`, `db.change` or `db.label`; None if it is damaged.
    pub fn take(
        &mut self,
        head: Head,
        is_of_journal: bool,
        mut fields: Fields<'_>,
    ) -> Option<io::Result<()>> {
        match head.table {
            Table::RevCx => {
                let change = u64::try_from(fields.number()?).ok()?;
                if is_of_journal {
                    *self.later.entry(change).or_default() += added(head.kind);
                } else {
                    self.count(change, &fields.text()?);
                }
            }
            Table::Change => {
                let Some((number, client, time_s)) = changelist(&mut fields)? else {
                    return Some(Ok(()));
                };
                let is_there = head.kind != Kind::Delete;
                let client = if self.has_clients { &*client } else { b"" };
                let value = time_s.map(|time_s| [&time_s.to_be_bytes(), client].concat());
                let value = is_there.then(|| value.unwrap_or_default());
                return Some(self.times.push([&number.to_be_bytes(), b""], value.as_deref()));
            }
            _ => self.change_label(&fields.name()?, |label| {
                label.files = label.files.saturating_add_signed(added(head.kind));
            }),
        }
        Some(Ok(()))
    }

    /// Takes a record of `db.domain`, of which only a label's is used: its value as `domain_value`
    /// encoded it, or None if the specification was deleted.
    pub fn take_domain(&mut self, name: &[u8], value: Option<&[u8]>) {
        match value.and_then(Domain::read).filter(|domain| domain.kind == LABEL) {
            Some(domain) => self.change_label(name, |label| label.revision = domain.revision),
            None if value.is_none() => {
                self.labels.remove(name);
            }
            None => {}
        }
    }

    /// Leaves only the times.
    pub fn collected(&mut self, folds: bool) -> io::Result<CollectedChanges> {
        self.end_changelist();
        let blocks = in_order(std::mem::take(&mut self.blocks));
        let blocks = blocks.map(|blocks| with_later(blocks, &std::mem::take(&mut self.later)));
        let mut labels = BTreeMap::new();
        for (name, label) in std::mem::take(&mut self.labels) {
            let row = labels.entry(folded_key(&name, folds));
            let (_, sum): &mut (Vec<u8>, Label) = row.or_insert_with(|| (name, Label::default()));
            sum.files += label.files;
            if !label.revision.is_empty() {
                sum.revision = label.revision;
            }
        }
        Ok(CollectedChanges { blocks, times: self.times.runs()?, labels })
    }

    fn change_label(&mut self, name: &[u8], change: impl FnOnce(&mut Label)) {
        if let Some(label) = self.labels.get_mut(name) {
            change(label);
        } else {
            let mut label = Label::default();
            change(&mut label);
            self.labels.insert(name.to_vec(), label);
        }
    }

    fn count(&mut self, change: u64, path: &[u8]) {
        match &mut self.changelist {
            Some(current) if current.first == change => {
                current.records += u64::from(self.path != path);
            }
            _ => {
                self.end_changelist();
                self.changelist = Some(Block { first: change, last: change, records: 1 });
            }
        }
        self.path.clear();
        self.path.extend_from_slice(path);
    }

    fn end_changelist(&mut self) {
        let Some(new) = self.changelist.take() else { return };
        match self.blocks.last_mut() {
            Some(last) if last.records + new.records <= BLOCK_RECORDS && last.adjoins(&new) => {
                last.take(&new);
            }
            _ => self.blocks.push(new),
        }
    }
}

impl Block {
    /// Whether a changelist may be counted in this block: the block stays one range of numbers.
    fn adjoins(&self, other: &Block) -> bool {
        other.last < self.first || other.first > self.last
    }

    fn take(&mut self, other: &Block) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.records += other.records;
    }
}

/// The number of a changelist, its client, and the time of its submit, in seconds since the Unix
/// epoch, None for a pending one.
type Changelist<'b> = (u32, Cow<'b, [u8]>, Option<u32>);

/// `Some(None)` for a number or time beyond p4d's own, None if the record is damaged.
fn changelist<'b>(fields: &mut Fields<'b>) -> Option<Option<Changelist<'b>>> {
    let change = fields.number()?;
    fields.skip(1)?;
    let client = fields.any()?;
    fields.skip(1)?;
    let (time_s, status) = (fields.number()?, fields.number()?);
    let numbers = u32::try_from(change).ok().zip(u32::try_from(time_s).ok());
    let is_submitted = |_: &u32| status == SUBMITTED;
    Some(numbers.map(|(number, time_s)| (number, client, Some(time_s).filter(is_submitted))))
}

fn added(kind: Kind) -> i64 {
    match kind {
        Kind::Delete => -1,
        Kind::Replace => 0,
        _ => 1,
    }
}

/// The blocks in ascending order; None if they overlap, because the records were in no order. Two
/// parts of one changelist, from two files of a checkpoint, become one block.
fn in_order(mut blocks: Vec<Block>) -> Option<Vec<Block>> {
    blocks.sort_unstable_by_key(|block| (block.first, block.last));
    let mut ordered: Vec<Block> = Vec::with_capacity(blocks.len());
    for block in blocks {
        match ordered.last_mut() {
            Some(last) if last.last == block.first => last.take(&block),
            Some(last) if last.last > block.first => return None,
            _ => ordered.push(block),
        }
    }
    Some(ordered)
}

fn with_later(mut blocks: Vec<Block>, later: &BTreeMap<u64, i64>) -> Vec<Block> {
    let mut new: Vec<Block> = Vec::new();
    for (change, added) in later {
        let place = blocks.partition_point(|block| block.last < *change);
        match blocks.get_mut(place).filter(|block| block.first <= *change) {
            Some(block) => block.records = block.records.saturating_add_signed(*added),
            None => {
                let records = u64::try_from(*added).unwrap_or(0);
                let block = Block { first: *change, last: *change, records };
                let starts = blocks.get(place).map(|block| block.first);
                match new.last_mut() {
                    Some(last)
                        if last.records + records <= BLOCK_RECORDS
                            && starts == next_start(&blocks, last) =>
                    {
                        last.take(&block);
                    }
                    _ => new.push(block),
                }
            }
        }
    }
    blocks.extend(new);
    blocks.sort_unstable_by_key(|block| block.first);
    blocks
}

fn next_start(blocks: &[Block], block: &Block) -> Option<u64> {
    blocks.get(blocks.partition_point(|other| other.last < block.first)).map(|next| next.first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(first: u64, last: u64, records: u64) -> Block {
        Block { first, last, records }
    }

    #[test]
    fn small_changelists_are_counted_together() {
        let mut changes =
            ChangeRecords::new(&TemporaryFolder::in_folder(std::env::temp_dir()), false);
        let rows = [(9, 200), (7, 40), (5, 30), (4, 900), (3, 1), (1, 2)];
        for (change, records) in rows {
            (0..records).for_each(|path: u32| changes.count(change, &path.to_be_bytes()));
            changes.count(change, &(records - 1).to_be_bytes());
        }
        let blocks = changes.collected(false).map(|changes| changes.blocks);
        let expected = [block(1, 3, 3), block(4, 4, 900), block(5, 5, 30), block(7, 9, 240)];
        assert_eq!(blocks.ok().flatten(), Some(expected.to_vec()));
    }

    #[test]
    fn records_in_no_order_show_no_blocks() {
        assert_eq!(in_order(vec![block(1, 5, 9), block(4, 4, 1)]), None);
        let two_parts = vec![block(5, 9, 3), block(1, 5, 4)];
        assert_eq!(in_order(two_parts), Some(vec![block(1, 9, 7)]));
    }

    #[test]
    fn journals_change_the_records_of_known_and_of_new_changelists() {
        let later = BTreeMap::from([(3, -1), (12, 200), (13, 40), (14, 20), (30, 5)]);
        let blocks = with_later(vec![block(1, 5, 9), block(20, 20, 1)], &later);
        let expected = [
            block(1, 5, 8),
            block(12, 13, 240),
            block(14, 14, 20),
            block(20, 20, 1),
            block(30, 30, 5),
        ];
        assert_eq!(blocks, expected);
    }
}
