//! The records of a checkpoint or a journal, one after another, in a buffer of bounded size.

use crate::base::order::begins_with;
use crate::base::trouble::Trouble;
use crate::source::table::{Head, Kind, Table, head};
use memchr::memchr;
use std::io::{self, Read};
use std::ops::Range;

/// So much is read at once.
const BUFFER_BYTES: usize = 1 << 18;
/// No record of a table that is read may be longer.
pub const MAX_RECORD_BYTES: usize = 16 << 20;
/// The head of a record, with the name of its table, is shorter.
const MAX_HEAD_BYTES: usize = 128;

/// A record that is wanted; `Records::values` has its values until the next one is read.
#[derive(Clone, Debug)]
pub struct Record {
    /// The operation of the record, and its table.
    pub head: Head,
    /// Where it starts in the text, in bytes, however the text is stored.
    pub at: u64,
    values: Range<usize>,
}

/// Reads the records of one file.
///
/// A line that starts with `@` and a small letter starts a record: within a value every `@` is
/// doubled, and behind a value comes a blank. So records of other tables are passed over line by
/// line, whatever their values hold.
pub struct Records {
    text: Box<dyn Read>,
    name: String,
    buffer: Vec<u8>,
    /// The unread part is `buffer[start..filled]`.
    start: usize,
    filled: usize,
    /// Where the buffer's first byte is in the text.
    at: u64,
    ended: bool,
    /// The head of the last record, as bytes and as read; the next one often has the same.
    last: (Vec<u8>, Option<Head>),
    grows: bool,
    /// Where the last record of a journal that grows starts, if it is not whole.
    pub unfinished_at: Option<u64>,
}

impl Records {
    /// Reads a text; `name` stands in errors.
    #[must_use]
    pub fn new(text: Box<dyn Read>, name: String) -> Self {
        let (buffer, last) = (vec![0; BUFFER_BYTES], (Vec::new(), None));
        let (start, filled, at, ended) = (0, 0, 0, false);
        let (grows, unfinished_at) = (false, None);
        Records { text, name, buffer, start, filled, at, ended, last, grows, unfinished_at }
    }

    /// Reads a journal that the server writes to: its last record may not be whole.
    #[must_use]
    pub fn growing(self) -> Self {
        Records { grows: true, ..self }
    }

    /// Reads a text that begins at a place in its file.
    #[must_use]
    pub fn starting_at(self, at: u64) -> Self {
        Records { at, ..self }
    }

    /// The next record of a table that is wanted, or a note; None at the end.
    ///
    /// The error is one line with the file and the place in its text.
    pub fn next(&mut self, is_wanted: impl Fn(Table) -> bool) -> Result<Option<Record>, Trouble> {
        loop {
            while self.filled - self.start < MAX_HEAD_BYTES && self.fill()? {}
            if self.start == self.filled {
                return Ok(None);
            }
            let Some(head) = self.head()? else {
                return Ok(None);
            };
            let is_note = matches!(head.kind, Kind::Note | Kind::Commit);
            if is_note || (head.kind != Kind::Nothing && is_wanted(head.table)) {
                return self.whole(head);
            }
            self.skip()?;
        }
    }

    /// The values of the record that was read last.
    #[must_use]
    pub fn values(&self, record: &Record) -> &[u8] {
        self.buffer.get(record.values.clone()).unwrap_or_default()
    }

    /// How many bytes of the text were read.
    #[must_use]
    pub fn read_bytes(&self) -> u64 {
        self.at + self.start as u64
    }

    /// An error about the text at some place.
    #[must_use]
    pub fn damaged(&self, at: u64, problem: &str) -> Trouble {
        Trouble::File(format!("{}: byte {at}: {problem}", self.name))
    }

    fn head(&mut self) -> Result<Option<Head>, Trouble> {
        let text = self.buffer.get(self.start..self.filled).unwrap_or_default();
        if let (bytes, Some(last)) = (&self.last.0, self.last.1)
            && begins_with(text, bytes)
        {
            return Ok(Some(last));
        }
        let Some(found) = head(text) else {
            if self.ended && !text.contains(&b'\n') && self.read_bytes() > 0 {
                self.start = self.last_end(self.read_bytes())?;
                return Ok(None);
            }
            let problem = "no record of a checkpoint or journal starts here; the file is damaged";
            return Err(self.damaged(self.read_bytes(), problem));
        };
        if matches!(found.kind, Kind::Put | Kind::Replace | Kind::Delete) {
            self.last.0.clear();
            self.last.0.extend_from_slice(text.get(..found.bytes).unwrap_or_default());
            self.last.1 = Some(found);
        }
        Ok(Some(found))
    }

    fn whole(&mut self, head: Head) -> Result<Option<Record>, Trouble> {
        let (at, mut looked) = (self.read_bytes(), 0);
        let end = loop {
            match self.end_from(self.start + looked) {
                Ok(end) => break end,
                Err(from) => looked = from - self.start,
            }
            if self.filled - self.start > MAX_RECORD_BYTES {
                let problem = format!("a record is longer than {} MiB", MAX_RECORD_BYTES >> 20);
                return Err(self.damaged(at, &problem));
            }
            if !self.fill()? {
                break self.last_end(at)?;
            }
        };
        if self.unfinished_at.is_some() {
            self.start = end;
            return Ok(None);
        }
        let values = self.start + head.bytes..end;
        self.start = end;
        Ok(Some(Record { head, at, values }))
    }

    fn skip(&mut self) -> Result<(), Trouble> {
        let at = self.read_bytes();
        loop {
            match self.end_from(self.start) {
                Ok(end) => {
                    self.start = end;
                    return Ok(());
                }
                Err(from) => self.start = from,
            }
            if !self.fill()? {
                self.start = self.last_end(at)?;
                return Ok(());
            }
        }
    }

    /// The place behind the record's last line, or else where to look again with more text.
    fn end_from(&self, mut from: usize) -> Result<usize, usize> {
        let text = self.buffer.get(..self.filled).unwrap_or_default();
        while let Some(line) = text.get(from..).and_then(|rest| memchr(b'\n', rest)) {
            let next = from + line + 1;
            match (text.get(next), text.get(next + 1)) {
                (Some(b'@'), Some(letter)) if letter.is_ascii_lowercase() => return Ok(next),
                (Some(_), Some(_)) => from = next,
                _ => return Err(next - 1),
            }
        }
        Err(self.filled)
    }

    /// The place behind the last record of the text, which is whole if a line end is there.
    fn last_end(&mut self, at: u64) -> Result<usize, Trouble> {
        let text = self.buffer.get(self.start..self.filled).unwrap_or_default();
        if text.ends_with(b"\n") {
            return Ok(self.filled);
        }
        if self.grows {
            self.unfinished_at = Some(at);
            return Ok(self.filled);
        }
        Err(self.damaged(at, "the file ends within this record; it is cut off"))
    }

    /// Reads more; false at the end of the text.
    fn fill(&mut self) -> Result<bool, Trouble> {
        if self.ended {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.filled, 0);
        self.at += self.start as u64;
        (self.filled, self.start) = (self.filled - self.start, 0);
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.filled * 2, 0);
        }
        let read = match self.buffer.get_mut(self.filled..) {
            Some(room) => self.text.read(room),
            None => Ok(0),
        };
        let read = read.map_err(|error| self.unreadable(&error))?;
        (self.filled, self.ended) = (self.filled + read, read == 0);
        Ok(read > 0)
    }

    fn unreadable(&self, error: &io::Error) -> Trouble {
        let problem = match error.kind() {
            io::ErrorKind::UnexpectedEof => "the compressed data end early".to_owned(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                format!("the compressed data are damaged ({error})")
            }
            _ => error.to_string(),
        };
        self.damaged(self.at + self.filled as u64, &problem)
    }
}
