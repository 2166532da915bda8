//! Sorted entries in a temporary file. An entry consists of: the number of bytes that its key
//! shares with the previous key, the number of further key bytes, the length of the value plus one
//! (0 if the key was deleted), the further key bytes, the value.

use crate::base::numbers::{append, put_numbers, take_number};
use crate::base::order::{Parts, is_same_name, rest_after, shared_length};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

const WRITE_BYTES: usize = 1 << 18;
const READ_BYTES: usize = 1 << 16;
/// Of the three encoded numbers at the start of each entry.
const HEAD_BYTES: usize = 30;

/// The runs of a table are ordered by time of writing; if several entries have the same key, the
/// last one counts.
#[derive(Clone, Debug)]
pub struct Run {
    /// It has no name and is deleted with the last run that refers to it.
    pub file: Rc<File>,
    pub range: Range<u64>,
}

#[derive(Debug)]
pub struct RunWriter {
    file: Rc<File>,
    buffer: Vec<u8>,
    buffer_offset: u64,
    previous_key: Vec<u8>,
}

impl RunWriter {
    pub fn new(file: File) -> Self {
        RunWriter {
            file: Rc::new(file),
            buffer: Vec::new(),
            buffer_offset: 0,
            previous_key: Vec::new(),
        }
    }

    /// Empty at the start of a run.
    pub fn previous(&self) -> &[u8] {
        &self.previous_key
    }

    pub fn place(&self) -> u64 {
        self.buffer_offset + self.buffer.len() as u64
    }

    /// The next entry is stored with its whole key.
    pub fn begin(&mut self) {
        self.previous_key.clear();
    }

    /// A value of None means that the key was deleted.
    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        self.push_sharing(shared_length(&self.previous_key, key), key, value)
    }

    /// The first `shared` bytes of the key equal those of the previous key.
    pub fn push_sharing(
        &mut self,
        shared: usize,
        key: Parts<'_>,
        value: Option<&[u8]>,
    ) -> io::Result<()> {
        self.previous_key.truncate(shared);
        rest_after(key, shared).iter().for_each(|part| append(&mut self.previous_key, part));
        let own = self.previous_key.get(shared..).unwrap_or_default();
        let value_mark = value.map_or(0, |value| value.len() as u64 + 1);
        put_numbers(&mut self.buffer, [shared as u64, own.len() as u64, value_mark]);
        append(&mut self.buffer, own);
        append(&mut self.buffer, value.unwrap_or_default());
        if self.buffer.len() >= WRITE_BYTES { self.flush() } else { Ok(()) }
    }

    /// The file's entries from offset `start` on.
    pub fn run_from(&mut self, start: u64) -> io::Result<Run> {
        self.flush()?;
        Ok(Run { file: Rc::clone(&self.file), range: start..self.buffer_offset })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all_at(&self.buffer, self.buffer_offset)?;
        self.buffer_offset += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Of adjacent entries with the same key, only the last is returned.
#[derive(Debug)]
pub struct RunReader {
    run: Run,
    buffer: Vec<u8>,
    start: usize,
    folds: bool,
    next_lengths: Option<EntryLengths>,
    /// In its original spelling.
    pub key: Vec<u8>,
    /// Only filled if keys are compared without case.
    folded_key: Vec<u8>,
    /// Empty if the key is deleted.
    pub value: Vec<u8>,
    pub is_live: bool,
}

#[derive(Clone, Copy, Debug)]
struct EntryLengths {
    shared_bytes: usize,
    own_bytes: usize,
    value_bytes: Option<usize>,
}

impl RunReader {
    pub fn new(run: Run, folds: bool) -> io::Result<Self> {
        let (buffer, key, folded_key, value) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (start, next_lengths, is_live) = (0, None, false);
        let mut reader =
            RunReader { run, buffer, start, folds, next_lengths, key, folded_key, value, is_live };
        reader.read_lengths()?;
        Ok(reader)
    }

    /// As keys are compared.
    pub fn order_key(&self) -> &[u8] {
        if self.folds { &self.folded_key } else { &self.key }
    }

    pub fn advance(&mut self) -> io::Result<bool> {
        let Some(next) = self.next_lengths else {
            return Ok(false);
        };
        self.take(next).ok_or_else(damage_error)?;
        self.read_lengths()?;
        while let Some(next) = self.next_lengths.filter(|next| self.is_same_key(*next)) {
            self.take(next).ok_or_else(damage_error)?;
            self.read_lengths()?;
        }
        Ok(true)
    }

    fn is_same_key(&self, next: EntryLengths) -> bool {
        let own = self.buffer.get(self.start..self.start + next.own_bytes).unwrap_or_default();
        let old = self.order_key().get(next.shared_bytes..).unwrap_or_default();
        is_same_name(own, old, self.folds)
    }

    /// Also loads the further key bytes and the value into the buffer.
    fn read_lengths(&mut self) -> io::Result<()> {
        self.fill_buffer(HEAD_BYTES)?;
        let mut text = self.buffer.get(self.start..).unwrap_or_default();
        self.next_lengths = None;
        if text.is_empty() {
            return Ok(());
        }
        let before = text.len();
        let mut number = || {
            let number = take_number(&mut text).and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(damage_error)
        };
        let (shared_bytes, own_bytes, mark) = (number()?, number()?, number()?);
        self.start += before - text.len();
        let value_bytes = mark.checked_sub(1);
        self.fill_buffer(own_bytes.saturating_add(value_bytes.unwrap_or(0)))?;
        self.next_lengths = Some(EntryLengths { shared_bytes, own_bytes, value_bytes });
        Ok(())
    }

    fn take(&mut self, next: EntryLengths) -> Option<()> {
        let text = self.buffer.get(self.start..)?;
        let (own, text) = text.split_at_checked(next.own_bytes)?;
        let value = text.get(..next.value_bytes.unwrap_or(0))?;
        self.start += own.len() + value.len();
        self.is_live = next.value_bytes.is_some();
        self.key.truncate(next.shared_bytes);
        append(&mut self.key, own);
        if self.folds {
            self.folded_key.truncate(next.shared_bytes);
            append(&mut self.folded_key, own);
            self.folded_key.get_mut(next.shared_bytes..)?.make_ascii_lowercase();
        }
        self.value.clear();
        append(&mut self.value, value);
        Some(())
    }

    /// At least `bytes` unread bytes of the run, or all that remain.
    fn fill_buffer(&mut self, bytes: usize) -> io::Result<()> {
        let buffered_bytes = self.buffer.len() - self.start;
        if buffered_bytes >= bytes || self.run.range.is_empty() {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let left_bytes = self.run.range.end - self.run.range.start;
        let more = left_bytes.min(READ_BYTES.max(bytes - buffered_bytes) as u64) as usize;
        self.buffer.resize(buffered_bytes + more, 0);
        let room = self.buffer.get_mut(buffered_bytes..).unwrap_or_default();
        self.run.file.read_exact_at(room, self.run.range.start)?;
        self.run.range.start += more as u64;
        Ok(())
    }
}

fn damage_error() -> io::Error {
    io::Error::other("a temporary file was changed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn written_entries_are_read_with_the_last_state_of_equal_keys(
            entries in prop::collection::vec(("[abC/]{0,9}", prop::option::of("[xy]{0,5}")), 0..40),
            folds: bool,
        ) {
            let mut writer = RunWriter::new(tempfile::tempfile()?);
            for (key, value) in &entries {
                let (front, tail) = key.as_bytes().split_at(key.len() / 2);
                writer.push([front, tail], value.as_ref().map(String::as_bytes))?;
            }
            let order = |key: &str| if folds { key.to_ascii_lowercase() } else { key.to_owned() };
            let mut reader = RunReader::new(writer.run_from(0)?, folds)?;
            for (index, (key, value)) in entries.iter().enumerate() {
                let next = entries.get(index + 1);
                if next.is_some_and(|(next, _)| order(next) == order(key)) {
                    continue;
                }
                prop_assert!(reader.advance()?);
                prop_assert_eq!(&reader.key[..], key.as_bytes());
                let order_key = order(key);
                prop_assert_eq!(reader.order_key(), order_key.as_bytes());
                let state = reader.is_live.then(|| reader.value.clone());
                prop_assert_eq!(state, value.as_ref().map(|value| value.as_bytes().to_vec()));
            }
            prop_assert!(!reader.advance()?);
        }
    }

    #[test]
    fn entries_longer_than_the_buffer_are_read_unchanged() -> io::Result<()> {
        let mut writer = RunWriter::new(tempfile::tempfile()?);
        let long = vec![b'k'; 3 * READ_BYTES];
        writer.push([b"a", b""], None)?;
        writer.push([&long, b""], Some(&long))?;
        let mut reader = RunReader::new(writer.run_from(0)?, false)?;
        assert!(reader.advance()? && !reader.is_live && reader.advance()?);
        assert!(reader.key == long && reader.value == long && !reader.advance()?);
        Ok(())
    }
}
