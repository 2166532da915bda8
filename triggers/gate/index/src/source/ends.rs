//! Checks that a checkpoint is whole while its records are read: that it begins with a
//! checkpoint's first note and ends with its last one, and that a journal is not a checkpoint.

use crate::source::digest;
use crate::source::fields::Fields;
use crate::source::files::Part;
use crate::source::header::{CHECKPOINT_END, CHECKPOINT_START, JOURNAL_START, TABLE_START};
use crate::source::parallel_folder::NEEDED_TABLES;
use crate::source::table::Kind;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// A checkpoint, which must be whole.
    Checkpoint,
    PartOfCheckpoint,
    /// A rotated journal, which the server no longer writes: a damaged end is an error.
    Journal,
    /// The last journal, which the server may still be writing: its last record may be incomplete.
    LastJournal,
}

impl FileRole {
    pub fn of_checkpoint(part: &Part) -> Self {
        if part.is_one_of_many { FileRole::PartOfCheckpoint } else { FileRole::Checkpoint }
    }

    pub fn is_checkpoint(self) -> bool {
        matches!(self, FileRole::Checkpoint | FileRole::PartOfCheckpoint)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Beginning,
    Inside,
    /// Inside a checkpoint without the first note, as old servers may write it.
    InsideWithoutStart,
    AfterEnd,
}

#[derive(Debug)]
pub struct Ends {
    path: PathBuf,
    role: FileRole,
    stage: Stage,
    tables: Vec<Vec<u8>>,
}

impl Ends {
    pub fn new(path: PathBuf, role: FileRole) -> Self {
        Ends { path, role, stage: Stage::Beginning, tables: Vec::new() }
    }

    /// Checks a record by its operation, also one that is skipped; for notes, `note` comes later.
    pub fn record(&mut self, kind: Kind) -> Result<(), String> {
        match (self.stage, kind) {
            (Stage::Inside, _) | (_, Kind::Note) => Ok(()),
            (Stage::Beginning, _) if !self.role.is_checkpoint() => {
                self.stage = Stage::Inside;
                Ok(())
            }
            (Stage::Beginning, _) => self.begin_without_start(),
            (Stage::InsideWithoutStart, Kind::Replace | Kind::Delete) => Err(JOURNAL.to_owned()),
            (Stage::AfterEnd, Kind::Put | Kind::Replace | Kind::Delete | Kind::Nothing) => {
                Err("has more records after the end of the checkpoint (@nx@ 1)".to_owned())
            }
            _ => Ok(()),
        }
    }

    pub fn note(&mut self, values: &[u8]) -> Result<(), String> {
        let note = Fields::new(values).number().unwrap_or(i64::MAX);
        if !self.role.is_checkpoint() {
            let is_checkpoint = self.stage == Stage::Beginning && note == CHECKPOINT_START;
            self.stage = Stage::Inside;
            return if is_checkpoint { Err(CHECKPOINT.to_owned()) } else { Ok(()) };
        }
        match (self.stage, note) {
            (Stage::Beginning, CHECKPOINT_START) => self.stage = Stage::Inside,
            (Stage::Beginning, JOURNAL_START) => return Err(JOURNAL.to_owned()),
            (Stage::Beginning, _) => self.begin_without_start()?,
            (_, CHECKPOINT_START) => return Err("contains two checkpoints".to_owned()),
            (_, JOURNAL_START) => return Err("contains a checkpoint and a journal".to_owned()),
            (Stage::AfterEnd, _) => {
                return Err("has more records after the end of the checkpoint (@nx@ 1)".to_owned());
            }
            (_, CHECKPOINT_END) => self.stage = Stage::AfterEnd,
            (_, TABLE_START) => self.tables.extend(table(values)),
            _ => {}
        }
        self.last(values)
    }

    /// Checks that no other text follows the last line of a record after the checkpoint's end.
    pub fn last(&self, values: &[u8]) -> Result<(), String> {
        let is_line = !values.trim_ascii_end().contains(&b'\n');
        if self.stage == Stage::AfterEnd && !is_line {
            return Err("has other text after the end of the checkpoint (@nx@ 1)".to_owned());
        }
        Ok(())
    }

    pub fn finish(&self) -> Result<(), String> {
        match self.stage {
            _ if !self.role.is_checkpoint() => Ok(()),
            Stage::Beginning if digest::agrees(&self.path) => Ok(()),
            Stage::Beginning => Err("is empty".to_owned()),
            Stage::Inside if !digest::agrees(&self.path) => Err(
                "ends without the note that ends a checkpoint (@nx@ 1): it is cut off, or p4d is \
                 still writing it"
                    .to_owned(),
            ),
            _ => self.lacks_tables(),
        }
    }

    fn begin_without_start(&mut self) -> Result<(), String> {
        if !digest::agrees(&self.path) {
            return Err(
                "does not begin as a checkpoint does (@nx@ 0): it is a journal, or the start is \
                 missing"
                    .to_owned(),
            );
        }
        self.stage = Stage::InsideWithoutStart;
        Ok(())
    }

    /// A dump of some tables (`p4d -jd FILE db.have`) ends like a checkpoint. Without the notes of
    /// tables, the file may have any.
    fn lacks_tables(&self) -> Result<(), String> {
        let has = |needed: &&&str| self.tables.iter().any(|table| table == needed.as_bytes());
        let is_part = self.role == FileRole::PartOfCheckpoint || self.tables.is_empty();
        match NEEDED_TABLES.iter().find(|table| !is_part && !has(table)) {
            Some(table) => Err(format!("is a dump of some tables, without db.{table}")),
            None => Ok(()),
        }
    }
}

const JOURNAL: &str = "is a journal, not a checkpoint";
const CHECKPOINT: &str = "is a checkpoint, not a journal: name one checkpoint, then only the \
                          journals after it";

/// The table that a note of the start of a table names, without `db.`.
fn table(values: &[u8]) -> Option<Vec<u8>> {
    let mut fields = Fields::new(values);
    fields.skip(8)?;
    Some(fields.text()?.strip_prefix(b"db.")?.to_vec())
}
