use crate::assemble::change_writer::{TimeSpan, write_times};
use crate::assemble::unfinished_file::FileOutput;
use crate::base::numbers::{last_ordered, ordered, put_number, take_number};
use crate::file::change_trees::{ChangeTrees, Label, put_signed, take_signed};
use crate::file::delta::Delta;
use crate::file::tree::TreeWriter;
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
}

impl LaterChanges {
    pub fn of_delta(old: Option<&Delta>, folds: bool) -> Result<Self, IndexError> {
        let mut changes = BTreeMap::new();
        let mut sum = 0;
        if let Some(old) = old {
            old.each(old.head.changes.counts, |key, mut value| {
                let row = last_ordered(key).zip(take_signed(&mut value));
                if let Some((change, sum_here)) = row {
                    let time_s = take_number(&mut value).unwrap_or(0).checked_sub(1);
                    let time_s = time_s.and_then(|time_s| u32::try_from(time_s).ok());
                    changes.insert(change, LaterChange { added_records: sum_here - sum, time_s });
                    sum = sum_here;
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

    /// In seconds since the Unix epoch; None if the changelist was deleted.
    pub fn set_time(&mut self, change: u32, time_s: Option<u32>) {
        self.changes.entry(change).or_default().time_s = time_s;
    }

    pub fn add_label_files(&mut self, label: &[u8], added: i64) {
        row_of::<Label>(&mut self.labels, label, self.folds).files += added;
    }

    pub fn set_label_revision(&mut self, label: &[u8], revision: Vec<u8>) {
        row_of::<Label>(&mut self.labels, label, self.folds).revision = Some(revision);
    }

    pub fn write(self, out: &mut FileOutput) -> Result<ChangeTrees, IndexError> {
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
        Ok(ChangeTrees { records: 0, counts, starts, ends, labels })
    }
}
