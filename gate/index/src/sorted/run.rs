//! Runs of front-coded entries in a temporary file.
//!
//! An entry is: how many bytes its key shares with the one before it, how many it has of its own,
//! the length of its value and one (0 where the key was deleted), its bytes, its value.

use crate::base::numbers::{append, put_number, take, take_number};
use crate::base::order::shared_bytes;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

const WRITE_BYTES: usize = 1 << 18;
const READ_BYTES: usize = 1 << 16;
/// Three numbers are no longer.
const HEAD_BYTES: usize = 30;

/// Part of a file that holds entries; runs of a table are in the order in which they were written,
/// so that of entries with the same key the last one is valid.
#[derive(Clone, Debug)]
pub struct Run {
    /// The file that holds it; it has no name, and is gone when the last run of it is.
    pub file: Rc<File>,
    /// Where.
    pub range: Range<u64>,
}

/// Appends entries to a file.
#[derive(Debug)]
pub struct RunWriter {
    file: Rc<File>,
    buffer: Vec<u8>,
    /// Where the buffer belongs.
    at: u64,
    previous: Vec<u8>,
}

impl RunWriter {
    /// Writes to an empty file.
    #[must_use]
    pub fn new(file: File) -> Self {
        RunWriter { file: Rc::new(file), buffer: Vec::new(), at: 0, previous: Vec::new() }
    }

    /// The key that was written last.
    #[must_use]
    pub fn previous(&self) -> &[u8] {
        &self.previous
    }

    /// Where the next entry goes.
    #[must_use]
    pub fn place(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }

    /// Begins a run, whose first entry shares nothing.
    pub fn begin(&mut self) {
        self.previous.clear();
    }

    /// Appends an entry; None says that its key was deleted.
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> io::Result<()> {
        self.push_sharing(shared_bytes(&self.previous, key), key, value)
    }

    /// Appends an entry whose key shares so many bytes with the one before it.
    pub fn push_sharing(
        &mut self,
        shared: usize,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> io::Result<()> {
        let own = key.get(shared..).unwrap_or_default();
        put_number(&mut self.buffer, shared as u64);
        put_number(&mut self.buffer, own.len() as u64);
        put_number(&mut self.buffer, value.map_or(0, |value| value.len() as u64 + 1));
        append(&mut self.buffer, own);
        append(&mut self.buffer, value.unwrap_or_default());
        self.previous.truncate(shared);
        append(&mut self.previous, own);
        if self.buffer.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what is buffered, and returns the part from some place on as a run.
    pub fn run_from(&mut self, start: u64) -> io::Result<Run> {
        self.flush()?;
        Ok(Run { file: Rc::clone(&self.file), range: start..self.at })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.buffer, self.at)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Reads a run.
#[derive(Debug)]
pub struct RunReader {
    run: Run,
    buffer: Vec<u8>,
    start: usize,
    folds: bool,
    /// The key as it was written.
    pub key: Vec<u8>,
    /// The key by which it is compared, where that is another.
    folded: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
    /// Whether the key was not deleted.
    pub is_live: bool,
}

impl RunReader {
    /// Reads from the start; `folds` says how keys are compared.
    #[must_use]
    pub fn new(run: Run, folds: bool) -> Self {
        let (buffer, key, folded, value) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        RunReader { run, buffer, start: 0, folds, key, folded, value, is_live: false }
    }

    /// The key by which it is compared.
    #[must_use]
    pub fn order_key(&self) -> &[u8] {
        if self.folds { &self.folded } else { &self.key }
    }

    /// Goes to the next entry; false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        self.need(HEAD_BYTES)?;
        let mut text = self.buffer.get(self.start..).unwrap_or_default();
        if text.is_empty() {
            return Ok(false);
        }
        let before = text.len();
        let mut number = || take_number(&mut text).ok_or_else(damaged);
        let (shared, own, mark) = (number()?, number()?, number()?);
        self.start += before - text.len();
        let value = mark.saturating_sub(1);
        let bytes = usize::try_from(own.saturating_add(value)).map_err(|_| damaged())?;
        self.need(bytes)?;
        self.is_live = mark > 0;
        self.take(shared as usize, own, value).ok_or_else(damaged)?;
        self.start += bytes;
        Ok(true)
    }

    fn take(&mut self, shared: usize, own: u64, value: u64) -> Option<()> {
        let mut text = self.buffer.get(self.start..)?;
        let (own, value) = (take(&mut text, own)?, take(&mut text, value)?);
        self.key.truncate(shared);
        append(&mut self.key, own);
        if self.folds {
            self.folded.truncate(shared);
            append(&mut self.folded, own);
            self.folded.get_mut(shared..)?.make_ascii_lowercase();
        }
        self.value.clear();
        append(&mut self.value, value);
        Some(())
    }

    /// Has so many bytes in the buffer, unless the run ends before.
    fn need(&mut self, bytes: usize) -> io::Result<()> {
        let there = self.buffer.len() - self.start;
        if there >= bytes || self.run.range.is_empty() {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let left = self.run.range.end - self.run.range.start;
        let more = left.min(READ_BYTES.max(bytes - there) as u64) as usize;
        self.buffer.resize(there + more, 0);
        let room = self.buffer.get_mut(there..).unwrap_or_default();
        self.run.file.read_exact_at(room, self.run.range.start)?;
        self.run.range.start += more as u64;
        Ok(())
    }
}

fn damaged() -> io::Error {
    io::Error::other("a temporary file was changed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_come_back(entries in prop::collection::vec(("[abC/]{0,9}", prop::option::of("[xy]{0,5}")), 0..40), folds: bool) {
            let mut writer = RunWriter::new(tempfile::tempfile()?);
            for (key, value) in &entries {
                writer.push(key.as_bytes(), value.as_ref().map(String::as_bytes))?;
            }
            let mut reader = RunReader::new(writer.run_from(0)?, folds);
            for (key, value) in &entries {
                prop_assert!(reader.advance()?);
                prop_assert_eq!(&reader.key[..], key.as_bytes());
                let wanted = if folds { key.to_ascii_lowercase() } else { key.clone() };
                prop_assert_eq!(reader.order_key(), wanted.as_bytes());
                let read = reader.is_live.then(|| reader.value.clone());
                prop_assert_eq!(read, value.as_ref().map(|value| value.as_bytes().to_vec()));
            }
            prop_assert!(!reader.advance()?);
        }
    }

    #[test]
    fn entries_longer_than_the_buffer_come_back() -> io::Result<()> {
        let mut writer = RunWriter::new(tempfile::tempfile()?);
        let long = vec![b'k'; 3 * READ_BYTES];
        writer.push(b"a", None)?;
        writer.push(&long, Some(&long))?;
        let mut reader = RunReader::new(writer.run_from(0)?, false);
        assert!(reader.advance()? && !reader.is_live && reader.advance()?);
        assert!(reader.key == long && reader.value == long && !reader.advance()?);
        Ok(())
    }
}
