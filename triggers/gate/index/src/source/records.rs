use crate::base::fault::{Fault, reason};
use crate::base::order::begins_with;
use crate::source::checkpoint::refusal;
use crate::source::ends::{Ends, FileRole};
use crate::source::files::{Part, open};
use crate::source::table::{Head, Kind, Table, head};
use memchr::{memchr, memchr_iter};
use std::cell::Cell;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const BUFFER_BYTES: usize = 1 << 18;
/// Of a table in use; reading a longer one fails.
pub const MAX_RECORD_BYTES: usize = 16 << 20;
/// Operation, version and name of the table.
const MAX_HEAD_BYTES: usize = 128;

#[derive(Clone, Debug)]
pub struct Record {
    pub head: Head,
    /// In the file's uncompressed text.
    pub offset: u64,
    values: Range<usize>,
}

/// A line that starts with `@` and a lower-case letter starts a record, because inside a value
/// every `@` is doubled and after a value comes a blank. Records of tables not in use are therefore
/// skipped line by line, whatever their values contain.
pub struct Records {
    text: Box<dyn Read>,
    path: PathBuf,
    role: FileRole,
    buffer: Vec<u8>,
    /// The unread text is `buffer[start..filled_end]`.
    start: usize,
    filled_end: usize,
    /// In the uncompressed text, of the first byte in `buffer`.
    buffer_offset: u64,
    is_at_end: bool,
    /// As bytes and parsed: consecutive records often have equal heads.
    last_head: (Vec<u8>, Option<Head>),
    ends: Ends,
    /// Offset in the uncompressed text of the incomplete last record of a growing journal.
    pub unfinished_at: Option<u64>,
}

impl Records {
    /// `next` fails if the text is not what the role requires.
    pub fn new(text: Box<dyn Read>, path: &Path, role: FileRole) -> Self {
        Records {
            text,
            path: path.to_owned(),
            role,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            filled_end: 0,
            buffer_offset: 0,
            is_at_end: false,
            last_head: (Vec::new(), None),
            ends: Ends::new(path.to_owned(), role),
            unfinished_at: None,
        }
    }

    pub fn of(part: &Part, role: FileRole, read_bytes: Rc<Cell<u64>>) -> Result<Self, Fault> {
        Ok(Records::new(open(&part.path, read_bytes)?, &part.path, role))
    }

    /// The next record of a used table, note or end of a transaction; None at the end of the file,
    /// or at the incomplete last record of a growing journal.
    pub fn next(&mut self, is_used: impl Fn(Table) -> bool) -> Result<Option<Record>, Fault> {
        loop {
            while self.filled_end - self.start < MAX_HEAD_BYTES && self.fill()? {}
            if self.start == self.filled_end {
                return self.end();
            }
            let Some(head) = self.head()? else {
                return self.end();
            };
            self.ends.record(head.kind).map_err(|problem| self.refusal(&problem))?;
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

    fn checked_note(&mut self, record: Record) -> Result<Record, Fault> {
        let values = self.buffer.get(record.values.clone()).unwrap_or_default();
        let result = match record.head.kind {
            Kind::Note => self.ends.note(values),
            _ => self.ends.last(values),
        };
        result.map_err(|problem| self.refusal(&problem)).map(|()| record)
    }

    fn end(&self) -> Result<Option<Record>, Fault> {
        self.ends.finish().map_err(|problem| self.refusal(&problem)).map(|()| None)
    }

    fn refusal(&self, problem: &str) -> Fault {
        match self.role.is_checkpoint() {
            true => refusal(&self.path, problem),
            false => Fault::File(format!("{}: {problem}", self.path.display())),
        }
    }

    /// Valid until the next record is read.
    pub fn values(&self, record: &Record) -> &[u8] {
        self.buffer.get(record.values.clone()).unwrap_or_default()
    }

    /// In the uncompressed text.
    pub fn read_bytes(&self) -> u64 {
        self.buffer_offset + self.start as u64
    }

    pub fn damage_error(&self, at: u64, problem: &str) -> Fault {
        self.refusal(&format!("byte {at}: {problem}"))
    }

    pub fn value_error(&self, at: u64) -> Fault {
        let problem = "a record's values are damaged or cut off";
        Fault::File(format!("{}: byte {at}: {problem}", self.path.display()))
    }

    fn no_record(&self) -> Fault {
        if self.read_bytes() == 0 {
            return self.refusal("is not a checkpoint or journal");
        }
        let problem = "no record of a checkpoint or journal starts here; the file is damaged";
        self.damage_error(self.read_bytes(), problem)
    }

    fn head(&mut self) -> Result<Option<Head>, Fault> {
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

    fn complete_record(&mut self, head: Head) -> Result<Option<Record>, Fault> {
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

    fn too_long(&self, at: u64) -> Fault {
        let problem = format!("a record is longer than {} MiB", MAX_RECORD_BYTES >> 20);
        self.damage_error(at, &problem)
    }

    fn skip(&mut self) -> Result<(), Fault> {
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

    /// Searches the end of a record from index `from` on; the error is the index from which to
    /// search after more text was read.
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

    /// The record begins at offset `at`, and its part before the unread text contains `quotes`
    /// signs `@`. It is incomplete without a line end, or if it ends within a value.
    fn last_end(&mut self, at: u64, quotes: usize) -> Result<usize, Fault> {
        let text = self.buffer.get(self.start..self.filled_end).unwrap_or_default();
        // Every text value is between two `@`, and every `@` inside it is doubled.
        let is_within_value = !(quotes + quotes_in(text)).is_multiple_of(2);
        if text.ends_with(b"\n") && !is_within_value {
            return Ok(self.filled_end);
        }
        if self.role == FileRole::LastJournal {
            self.unfinished_at = Some(at);
            return Ok(self.filled_end);
        }
        Err(self.damage_error(at, "the file ends within this record; it is cut off"))
    }

    /// False at the end of the file.
    fn fill(&mut self) -> Result<bool, Fault> {
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

    fn unreadable(&self, error: &io::Error) -> Fault {
        self.damage_error(self.buffer_offset + self.filled_end as u64, &reason(error))
    }
}

fn quotes_in(text: &[u8]) -> usize {
    memchr_iter(b'@', text).count()
}
