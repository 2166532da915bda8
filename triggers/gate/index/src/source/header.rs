//! The note with which a checkpoint or journal begins, such as
//! `@nx@ 0 1487774713 @39@ 2 0 0 0 0 @/p4/root@ @journal@ @@ @@ @@`.

use crate::source::fields::{Fields, Value};
use crate::source::files::open;
use crate::source::table::{Kind, head};
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

/// Type of the note at the start of a checkpoint.
pub const CHECKPOINT_START: i64 = 0;
/// Type of the note at the end of a checkpoint.
pub const CHECKPOINT_END: i64 = 1;
/// Type of the note at the start of a journal (Perforce knowledge base, article 3211).
pub const JOURNAL_START: i64 = 2;
/// Type of the note before the records of each table of a checkpoint, also of an empty table.
pub const TABLE_START: i64 = 4;
/// More than a note at the start of a file can be long: it has two paths.
const MAX_BYTES: u64 = 16 << 10;

#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// `CHECKPOINT_START`, `JOURNAL_START` or another.
    pub note: i64,
    /// When the file was begun, in seconds since the Unix epoch.
    pub time_s: i64,
    /// Schema level, root folder and journal, as the server names them.
    pub server: Vec<Vec<u8>>,
}

impl Header {
    /// None if the file cannot be read or begins with something else.
    pub fn of(path: &Path) -> Option<Self> {
        let mut text = Vec::new();
        let mut start = open(path, Rc::default()).ok()?.take(MAX_BYTES);
        // The readable part of a file counts, so an error after it is ignored.
        let _ = start.read_to_end(&mut text);
        let head = head(&text).filter(|head| head.kind == Kind::Note)?;
        let line = text.get(head.bytes..)?.split(|byte| *byte == b'\n').next()?;
        let mut fields = Fields::new(line);
        let (note, time_s) = (fields.number()?, fields.number()?);
        let mut server = Vec::new();
        while let Some(value) = fields.value() {
            if let Value::Text(text) = value {
                server.push(text.into_owned());
            }
        }
        Some(Header { note, time_s, server })
    }
}
