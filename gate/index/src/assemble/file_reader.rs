//! Reads checkpoint and journal files and passes the records of the database tables in use to these
//! tables' stores.

use crate::assemble::tables::{RecordError, Tables};
use crate::base::trouble::Trouble;
use crate::source::fields::Fields;
use crate::source::files::{Part, open};
use crate::source::records::{Record, Records};
use crate::source::table::Kind;
use std::cell::Cell;
use std::rc::Rc;

/// Number of processed checkpoint or journal records between two reports of progress; records of
/// tables not in use do not count.
const STEP: u64 = 1 << 16;

/// The role in which a checkpoint or journal file is read: it decides whether the file must be
/// complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// Role of a checkpoint, or of one file of a checkpoint directory: a damaged end is an error.
    Checkpoint,
    /// Role of a rotated journal, which the server no longer writes: a damaged end is an error.
    Journal,
    /// Role of the last journal, which the server may still be writing: its last record may be
    /// incomplete.
    LastJournal,
}

/// Result of reading one checkpoint or journal file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadResult {
    /// Number of bytes of the file's uncompressed text up to the end of the last complete record.
    pub bytes: u64,
    /// One line of text which states that the file's last record is incomplete and was left out;
    /// None if it is complete.
    pub note: Option<String>,
}

/// Reads the records of a checkpoint or journal file into the stores of `tables`; records of
/// database tables not in use are skipped.
pub fn read(
    part: &Part,
    role: FileRole,
    tables: &mut Tables,
    mut progress: impl FnMut(u64),
) -> Result<ReadResult, Trouble> {
    let read_bytes = Rc::new(Cell::new(0));
    let text = open(&part.path, Rc::clone(&read_bytes))?;
    let name = part.path.display().to_string();
    let mut records = Records::new(text, name.clone());
    if role == FileRole::LastJournal {
        records = records.growing();
    }
    let (mut count, mut notes) = (0_u64, Notes::default());
    while let Some(record) = records.next(|table| tables.is_used(table))? {
        match record.head.kind {
            Kind::Note => notes.note(&records, &record, tables),
            Kind::Commit => tables.note_time(time_of(&records, &record, 1)),
            _ => take(&records, &record, tables)?,
        }
        count += 1;
        if count.is_multiple_of(STEP) {
            progress(read_bytes.get());
        }
    }
    progress(read_bytes.get());
    if role == FileRole::Checkpoint {
        notes.check(&records, part)?;
    }
    let note = records
        .unfinished_at
        .map(|at| format!("{name}: byte {at}: the last record is incomplete and was left out"));
    Ok(ReadResult { bytes: records.unfinished_at.unwrap_or(records.read_bytes()), note })
}

fn take(records: &Records, record: &Record, tables: &mut Tables) -> Result<(), Trouble> {
    let result = tables.take(record.head, records.values(record));
    result.map_err(|cause| match cause {
        RecordError::Damaged => {
            records.damage_error(record.offset, "a record's values are damaged or cut off")
        }
        RecordError::Unkept(error) => {
            Trouble::File(format!("cannot write a temporary file: {error}"))
        }
    })
}

fn time_of(records: &Records, record: &Record, place: usize) -> Option<i64> {
    let mut fields = Fields::new(records.values(record));
    fields.skip(place)?;
    fields.number()
}

/// Which of the two notes of a checkpoint file were found: the start (`nx` record of type 0) and
/// the end (type 1).
#[derive(Debug, Default)]
struct Notes {
    has_start: bool,
    has_end: bool,
}

impl Notes {
    fn note(&mut self, records: &Records, record: &Record, tables: &mut Tables) {
        match Fields::new(records.values(record)).number() {
            Some(0) => {
                self.has_start = true;
                tables.note_time(time_of(records, record, 1));
            }
            Some(1) => self.has_end = true,
            _ => {}
        }
    }

    /// Checks that a checkpoint file is not empty and that, if it has a start note, it also has an
    /// end note; the single files of a checkpoint directory are exempt.
    fn check(&self, records: &Records, part: &Part) -> Result<(), Trouble> {
        if self.has_start && !self.has_end && !part.is_one_of_many {
            let problem = "the checkpoint ends without its closing note; it is cut off";
            return Err(records.damage_error(records.read_bytes(), problem));
        }
        if records.read_bytes() == 0 && !part.is_one_of_many {
            return Err(Trouble::File(format!("{}: is empty", part.path.display())));
        }
        Ok(())
    }
}
