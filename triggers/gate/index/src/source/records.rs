//! Reader of the records in a checkpoint or journal, one after another, with a buffer of bounded
//! size.

use crate::base::order::begins_with;
use crate::base::trouble::Trouble;
use crate::source::checkpoint::refusal;
use crate::source::ends::{Ends, FileRole};
use crate::source::files::{Part, open};
use crate::source::table::{Head, Kind, Table, head};
use memchr::{memchr, memchr_iter};
use std::cell::Cell;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

/// Initial size in bytes of the buffer for the text of a checkpoint or journal.
const BUFFER_BYTES: usize = 1 << 18;
/// Maximum length in bytes of a checkpoint or journal record of a table in use; reading a longer
/// one fails.
pub const MAX_RECORD_BYTES: usize = 16 << 20;
/// Upper bound for the length in bytes of a record's head (operation, version and name of the
/// table).
const MAX_HEAD_BYTES: usize = 128;

/// A checkpoint or journal record of a table in use, a note, or the end of a transaction.
/// `Records::values` returns its values until the next record is read.
#[derive(Clone, Debug)]
pub struct Record {
    /// The head of the record: operation, table, and version of the table's layout.
    pub head: Head,
    /// Offset in bytes at which the record begins in the file's uncompressed text.
    pub offset: u64,
    values: Range<usize>,
}

/// Reader of the records in one checkpoint or journal file.
///
/// A line that starts with `@` and a lower-case letter starts a record, because inside a value
/// every `@` is doubled and after a value comes a blank. Records of tables not in use are therefore
/// skipped line by line, whatever their values contain.
pub struct Records {
    text: Box<dyn Read>,
    name: String,
    buffer: Vec<u8>,
    /// Index in `buffer` at which the unread text begins; the unread text is
    /// `buffer[start..filled_end]`.
    start: usize,
    filled_end: usize,
    /// Offset in the uncompressed text of the first byte in `buffer`.
    buffer_offset: u64,
    is_at_end: bool,
    /// Head of the last record that named a table, as bytes and parsed: consecutive records often
    /// have equal heads, which need not be parsed again.
    last_head: (Vec<u8>, Option<Head>),
    is_growing: bool,
    /// The check of the file's start and end; None for a text without a role.
    ends: Option<Ends>,
    /// Path of the checkpoint, for its refusal; None for a journal.
    checkpoint: Option<PathBuf>,
    /// Offset in the uncompressed text of the last record of a growing journal, if that record is
    /// incomplete; otherwise None.
    pub unfinished_at: Option<u64>,
}

impl Records {
    /// Creates a reader of the records in the uncompressed data stream `text`; `name` is the name
    /// of the file in error messages.
    #[must_use]
    pub fn new(text: Box<dyn Read>, name: String) -> Self {
        let (buffer, last_head) = (vec![0; BUFFER_BYTES], (Vec::new(), None));
        let (start, filled_end, buffer_offset, is_at_end) = (0, 0, 0, false);
        let (is_growing, unfinished_at, ends, checkpoint) = (false, None, None, None);
        Records {
            text,
            name,
            buffer,
            start,
            filled_end,
            buffer_offset,
            is_at_end,
            last_head,
            is_growing,
            ends,
            checkpoint,
            unfinished_at,
        }
    }

    /// Opens a file to read its records in a role, which the reading checks: `next` fails if the
    /// file is not what the role requires. `read_bytes` counts the bytes read from the stored file.
    pub fn of(part: &Part, role: FileRole, read_bytes: Rc<Cell<u64>>) -> Result<Self, Trouble> {
        let text = open(&part.path, read_bytes)?;
        Ok(Records {
            is_growing: role == FileRole::LastJournal,
            ends: Some(Ends::new(part.path.clone(), role)),
            checkpoint: role.is_checkpoint().then(|| part.path.clone()),
            ..Records::new(text, part.path.display().to_string())
        })
    }

    /// Returns this reader of records, set to accept an incomplete last record, because the server
    /// is still writing the journal.
    #[must_use]
    pub fn growing(self) -> Self {
        Records { is_growing: true, ..self }
    }

    /// Returns this reader of records, set to count offsets from `buffer_offset`, because its text
    /// begins at that offset of the uncompressed file.
    #[must_use]
    pub fn starting_at(self, buffer_offset: u64) -> Self {
        Records { buffer_offset, ..self }
    }

    /// Reads the next record of a table for which `is_used` is true, or the next note or end of a
    /// transaction; None at the end of the file, or at the incomplete last record of a growing
    /// journal.
    ///
    /// The error is one line of text that names the file and usually the byte offset in its
    /// uncompressed text.
    pub fn next(&mut self, is_used: impl Fn(Table) -> bool) -> Result<Option<Record>, Trouble> {
        loop {
            while self.filled_end - self.start < MAX_HEAD_BYTES && self.fill()? {}
            if self.start == self.filled_end {
                return self.end();
            }
            let Some(head) = self.head()? else {
                return self.end();
            };
            if let Some(ends) = &mut self.ends {
                ends.record(head.kind).map_err(|problem| self.refusal(&problem))?;
            }
            let is_note = matches!(head.kind, Kind::Note | Kind::Commit);
            if is_note {
                let record = self.complete_record(head)?;
                return record.map(|record| self.checked_note(record)).transpose();
            }
            if head.kind != Kind::Nothing && is_used(head.table) {
                return self.complete_record(head);
            }
            self.skip()?;
        }
    }

    fn checked_note(&mut self, record: Record) -> Result<Record, Trouble> {
        let values = self.buffer.get(record.values.clone()).unwrap_or_default();
        let result = match &mut self.ends {
            Some(ends) if record.head.kind == Kind::Note => ends.note(values),
            Some(ends) => ends.last(values),
            None => Ok(()),
        };
        result.map_err(|problem| self.refusal(&problem)).map(|()| record)
    }

    fn end(&self) -> Result<Option<Record>, Trouble> {
        let result = self.ends.as_ref().map_or(Ok(()), Ends::finish);
        result.map_err(|problem| self.refusal(&problem)).map(|()| None)
    }

    /// The error that the file is not what it was read as; for a checkpoint, with the newest that
    /// is whole.
    fn refusal(&self, problem: &str) -> Trouble {
        match &self.checkpoint {
            Some(path) => refusal(path, problem),
            None => Trouble::File(format!("{}: {problem}", self.name)),
        }
    }

    /// The text of a record's values, without its head; valid until the next record is read.
    #[must_use]
    pub fn values(&self, record: &Record) -> &[u8] {
        self.buffer.get(record.values.clone()).unwrap_or_default()
    }

    /// Offset in the uncompressed text up to which records were read or skipped.
    #[must_use]
    pub fn read_bytes(&self) -> u64 {
        self.buffer_offset + self.start as u64
    }

    /// Creates an error that states the name of the file, the byte offset `at` in its uncompressed
    /// text, and `problem`, usually damage.
    #[must_use]
    pub fn damage_error(&self, at: u64, problem: &str) -> Trouble {
        self.refusal(&format!("byte {at}: {problem}"))
    }

    /// Creates the error that the values of the record at a byte offset do not fit its table.
    #[must_use]
    pub fn value_error(&self, at: u64) -> Trouble {
        let problem = "a record's values are damaged or cut off";
        Trouble::File(format!("{}: byte {at}: {problem}", self.name))
    }

    fn no_record(&self) -> Trouble {
        if self.read_bytes() == 0 {
            return self.refusal("is not a checkpoint or journal");
        }
        let problem = "no record of a checkpoint or journal starts here; the file is damaged";
        self.damage_error(self.read_bytes(), problem)
    }

    fn head(&mut self) -> Result<Option<Head>, Trouble> {
        let text = self.buffer.get(self.start..self.filled_end).unwrap_or_default();
        if let (bytes, Some(last)) = (&self.last_head.0, self.last_head.1)
            && begins_with(text, bytes)
        {
            return Ok(Some(last));
        }
        let Some(head) = head(text) else {
            if self.is_at_end && !text.contains(&b'\n') && self.read_bytes() > 0 {
                self.start = self.last_end(self.read_bytes(), 0)?;
                return Ok(None);
            }
            return Err(self.no_record());
        };
        if matches!(head.kind, Kind::Put | Kind::Replace | Kind::Delete) {
            self.last_head.0.clear();
            self.last_head.0.extend_from_slice(text.get(..head.bytes).unwrap_or_default());
            self.last_head.1 = Some(head);
        }
        Ok(Some(head))
    }

    fn complete_record(&mut self, head: Head) -> Result<Option<Record>, Trouble> {
        let (offset, mut searched_bytes) = (self.read_bytes(), 0);
        let end = loop {
            match self.end_from(self.start + searched_bytes) {
                Ok(end) => break end,
                Err(from) => searched_bytes = from - self.start,
            }
            // The end is not within the searched bytes, so the record is longer than they are.
            if searched_bytes >= MAX_RECORD_BYTES {
                return Err(self.too_long(offset));
            }
            if !self.fill()? {
                break self.last_end(offset, 0)?;
            }
        };
        if self.unfinished_at.is_some() {
            self.start = end;
            return Ok(None);
        }
        if end - self.start > MAX_RECORD_BYTES {
            return Err(self.too_long(offset));
        }
        let values = self.start + head.bytes..end;
        self.start = end;
        Ok(Some(Record { head, offset, values }))
    }

    fn too_long(&self, at: u64) -> Trouble {
        let problem = format!("a record is longer than {} MiB", MAX_RECORD_BYTES >> 20);
        self.damage_error(at, &problem)
    }

    fn skip(&mut self) -> Result<(), Trouble> {
        let (at, mut quotes) = (self.read_bytes(), 0);
        loop {
            match self.end_from(self.start) {
                Ok(end) => {
                    self.start = end;
                    return Ok(());
                }
                Err(from) => {
                    quotes += quotes_in(self.buffer.get(self.start..from).unwrap_or_default());
                    self.start = from;
                }
            }
            if !self.fill()? {
                self.start = self.last_end(at, quotes)?;
                return Ok(());
            }
        }
    }

    /// Searches the end of a record in the buffer, from index `from` on. Returns the end's index,
    /// or as an error the index from which to search after more text was read.
    fn end_from(&self, mut from: usize) -> Result<usize, usize> {
        let text = self.buffer.get(..self.filled_end).unwrap_or_default();
        while let Some(line) = text.get(from..).and_then(|rest| memchr(b'\n', rest)) {
            let next = from + line + 1;
            match (text.get(next), text.get(next + 1)) {
                (Some(b'@'), Some(letter)) if letter.is_ascii_lowercase() => return Ok(next),
                (Some(_), Some(_)) => from = next,
                _ => return Err(next - 1),
            }
        }
        Err(self.filled_end)
    }

    /// Index in the buffer at which the file's last record ends, complete or not. The record begins
    /// at offset `at`, and its part before the unread text contains `quotes` signs `@`. Without a
    /// line end, or if it ends within a value, it is incomplete: in a growing journal `at` is then
    /// stored in `unfinished_at`, elsewhere this is an error.
    fn last_end(&mut self, at: u64, quotes: usize) -> Result<usize, Trouble> {
        let text = self.buffer.get(self.start..self.filled_end).unwrap_or_default();
        // An odd number of `@` means that the text ends within a value: every text value is between
        // two `@`, and every `@` inside it is doubled.
        let is_within_value = !(quotes + quotes_in(text)).is_multiple_of(2);
        if text.ends_with(b"\n") && !is_within_value {
            return Ok(self.filled_end);
        }
        if self.is_growing {
            self.unfinished_at = Some(at);
            return Ok(self.filled_end);
        }
        Err(self.damage_error(at, "the file ends within this record; it is cut off"))
    }

    /// Reads more text of the file into the buffer; returns false at the end of the file.
    fn fill(&mut self) -> Result<bool, Trouble> {
        if self.is_at_end {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.filled_end, 0);
        self.buffer_offset += self.start as u64;
        (self.filled_end, self.start) = (self.filled_end - self.start, 0);
        if self.filled_end == self.buffer.len() {
            self.buffer.resize(self.filled_end * 2, 0);
        }
        let result = match self.buffer.get_mut(self.filled_end..) {
            Some(room) => self.text.read(room),
            None => Ok(0),
        };
        let bytes = result.map_err(|error| self.unreadable(&error))?;
        (self.filled_end, self.is_at_end) = (self.filled_end + bytes, bytes == 0);
        Ok(bytes > 0)
    }

    fn unreadable(&self, error: &io::Error) -> Trouble {
        let problem = match error.kind() {
            io::ErrorKind::UnexpectedEof => "the compressed data end early".to_owned(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                format!("the compressed data are damaged ({error})")
            }
            _ => error.to_string(),
        };
        self.damage_error(self.buffer_offset + self.filled_end as u64, &problem)
    }
}

fn quotes_in(text: &[u8]) -> usize {
    memchr_iter(b'@', text).count()
}
