use crate::assemble::change_records::Changelist;
use crate::assemble::change_writer::{TimeSpan, write_times};
use crate::assemble::unfinished_file::FileOutput;
use crate::base::numbers::{last_ordered, ordered, put_number, take_number};
use crate::file::change_trees::{ChangeTrees, Label, put_signed, take_signed};
use crate::file::delta::Delta;
use crate::file::tree::{Tree, TreeWriter};
use crate::file::trees::IndexError;
use crate::update::name_map::{self, NameMap, row_of};
use std::collections::BTreeMap;

pub struct LaterChanges {
    changes: BTreeMap<u32, LaterChange>,
    labels: NameMap<Label>,
    folds: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct LaterChange {
    added_records: i64,
    time_s: Option<u32>,
    /// Whether `db.change` has the changelist; None if no journal says so.
    is_there: Option<bool>,
}

impl LaterChanges {
    pub fn of_delta(old: Option<&Delta>, folds: bool) -> Result<Self, IndexError> {
        let mut changes = BTreeMap::<u32, LaterChange>::new();
        let mut sum = 0;
        if let Some(old) = old {
            old.each(old.head.changes.counts, |key, mut value| {
                let row = last_ordered(key).zip(take_signed(&mut value));
                if let Some((change, sum_here)) = row {
                    let time_s = take_number(&mut value).unwrap_or(0).checked_sub(1);
                    let time_s = time_s.and_then(|time_s| u32::try_from(time_s).ok());
                    let row = changes.entry(change).or_default();
                    (row.added_records, row.time_s) = (sum_here - sum, time_s);
                    sum = sum_here;
                }
            })?;
            old.each(old.head.changes.changelists, |key, mut value| {
                let row =
                    last_ordered(key).zip(take_signed(&mut value).and(take_number(&mut value)));
                if let Some((change, is_there)) = row {
                    changes.entry(change).or_default().is_there = Some(is_there > 0);
                }
            })?;
        }
        let of_labels = old.map(|old| (old, old.head.changes.labels));
        let labels = name_map::of_delta(of_labels, folds, Label::read)?;
        Ok(LaterChanges { changes, labels, folds })
    }

    pub fn add_records(&mut self, change: u32, added: i64) {
        self.changes.entry(change).or_default().added_records += added;
    }

    /// With the last record of the changelist, or that it was deleted.
    pub fn set(&mut self, changelist: Changelist, is_there: bool) {
        let row = self.changes.entry(changelist.number).or_default();
        row.time_s = changelist.time_s.filter(|_| is_there);
        row.is_there = Some(is_there);
    }

    pub fn add_label_files(&mut self, label: &[u8], added: i64) {
        row_of::<Label>(&mut self.labels, label, self.folds).files += added;
    }

    pub fn set_label_revision(&mut self, label: &[u8], revision: Vec<u8>) {
        row_of::<Label>(&mut self.labels, label, self.folds).revision = Some(revision);
    }

    /// `newest` is the newest changelist of the checkpoint.
    pub fn write(self, newest: u64, out: &mut FileOutput) -> Result<ChangeTrees, IndexError> {
        let changelists = write_changelists(&self.changes, newest, out)?;
        let (mut counts, mut sum, mut times) = (TreeWriter::default(), 0, Vec::new());
        for (change, row) in self.changes {
            sum += row.added_records;
            let mut value = Vec::new();
            put_signed(&mut value, sum);
            put_number(&mut value, row.time_s.map_or(0, |time_s| u64::from(time_s) + 1));
            counts.push(out, &ordered(change), &value)?;
            times.extend(row.time_s.map(|time_s| TimeSpan {
                first: change.into(),
                last: change.into(),
                times_s: [time_s; 2],
            }));
        }
        let counts = counts.finish(out)?;
        let [starts, ends] = write_times(&times, out)?;
        let labels = name_map::write(self.labels, Label::bytes, out)?;
        Ok(ChangeTrees { records: 0, counts, changelists, starts, ends, labels })
    }
}

/// Writes the running sums of added and deleted changelists. One up to the checkpoint's newest was
/// in the checkpoint, whether a journal puts or replaces it.
fn write_changelists(
    changes: &BTreeMap<u32, LaterChange>,
    newest: u64,
    out: &mut FileOutput,
) -> Result<Tree, IndexError> {
    let (mut tree, mut sum) = (TreeWriter::default(), 0);
    let known = changes.iter().filter_map(|(change, row)| Some((*change, row.is_there?)));
    for (change, is_there) in known {
        sum += match (is_there, u64::from(change) > newest) {
            (true, true) => 1,
            (false, false) => -1,
            _ => 0,
        };
        let mut value = Vec::new();
        put_signed(&mut value, sum);
        put_number(&mut value, is_there.into());
        tree.push(out, &ordered(change), &value)?;
    }
    Ok(tree.finish(out)?)
}
