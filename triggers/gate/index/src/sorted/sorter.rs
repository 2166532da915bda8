use crate::base::numbers::append;
use crate::base::order::{Parts, compare};
use crate::sorted::merge::Merge;
use crate::sorted::run::{Run, RunWriter};
use crate::sorted::temporary_folder::TemporaryFolder;
use std::io;

/// At this size the entries in memory are written as a run.
const ARENA_BYTES: usize = 24 << 20;
/// At this number a sorter merges its runs into one.
const MAX_RUNS: usize = 128;

/// Of several entries with the same key, the last added counts.
#[derive(Debug)]
pub struct Sorter {
    temporary_folder: TemporaryFolder,
    folds: bool,
    arena_bytes: usize,
    arena: Vec<u8>,
    entries: Vec<Entry>,
    writer: Option<RunWriter>,
    runs: Vec<Run>,
}

/// Its parts are stored one after another: the key in lower case (only if keys are compared without
/// case), the key, and the value.
#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u32,
    key_bytes: u32,
    /// None if the key was deleted.
    value_bytes: Option<u32>,
}

impl Sorter {
    pub fn new(temporary: TemporaryFolder, folds: bool) -> Self {
        Self::with_arena(temporary, folds, ARENA_BYTES)
    }

    pub fn with_arena(temporary_folder: TemporaryFolder, folds: bool, arena_bytes: usize) -> Self {
        let (arena, entries, runs) = (Vec::new(), Vec::new(), Vec::new());
        Sorter { temporary_folder, folds, arena_bytes, arena, entries, writer: None, runs }
    }

    /// A value of None means that the key was deleted.
    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        let offset = self.arena.len();
        if self.folds {
            key.iter().for_each(|part| append(&mut self.arena, part));
            self.arena.get_mut(offset..).unwrap_or_default().make_ascii_lowercase();
        }
        let key_at = self.arena.len();
        key.iter().for_each(|part| append(&mut self.arena, part));
        let key_bytes = (self.arena.len() - key_at) as u32;
        self.arena.extend_from_slice(value.unwrap_or_default());
        let value_bytes = value.map(|value| value.len() as u32);
        self.entries.push(Entry { offset: offset as u32, key_bytes, value_bytes });
        let used_bytes = self.arena.len() + self.entries.len() * size_of::<Entry>();
        if used_bytes >= self.arena_bytes { self.write() } else { Ok(()) }
    }

    /// Oldest first, with the entries still in memory.
    pub fn into_runs(mut self) -> io::Result<Vec<Run>> {
        self.take_runs()
    }

    /// Likewise; frees its memory, and begins again without entries.
    pub fn take_runs(&mut self) -> io::Result<Vec<Run>> {
        self.write()?;
        let empty = Self::with_arena(self.temporary_folder.clone(), self.folds, self.arena_bytes);
        Ok(std::mem::replace(self, empty).runs)
    }

    fn write(&mut self) -> io::Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let arena = &self.arena;
        let text = |at: usize, bytes: u32| arena.get(at..at + bytes as usize).unwrap_or_default();
        let order = |entry: &Entry| (text(entry.offset as usize, entry.key_bytes), entry.offset);
        self.entries.sort_unstable_by(|one, other| {
            let ((one, one_at), (other, other_at)) = (order(one), order(other));
            compare(one, other).then(one_at.cmp(&other_at))
        });
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => RunWriter::new(self.temporary_folder.file()?),
        };
        writer.begin();
        let start = writer.place();
        for (index, entry) in self.entries.iter().enumerate() {
            let next = self.entries.get(index + 1);
            if next.is_some_and(|next| order(next).0 == order(entry).0) {
                continue;
            }
            let folded = if self.folds { entry.key_bytes as usize } else { 0 };
            let key_at = entry.offset as usize + folded;
            let value_at = key_at + entry.key_bytes as usize;
            let value = entry.value_bytes.map(|bytes| text(value_at, bytes));
            writer.push([text(key_at, entry.key_bytes), b""], value)?;
        }
        self.runs.push(writer.run_from(start)?);
        self.writer = Some(writer);
        self.arena.clear();
        self.entries.clear();
        if self.runs.len() >= MAX_RUNS { self.compact() } else { Ok(()) }
    }

    /// So that the reader has few runs to merge.
    fn compact(&mut self) -> io::Result<()> {
        let mut merge = Merge::new(&self.runs, self.folds)?;
        let mut writer = RunWriter::new(self.temporary_folder.file()?);
        while merge.advance_any()? {
            writer.push([merge.key(), b""], merge.is_live().then_some(merge.value()))?;
        }
        self.runs = vec![writer.run_from(0)?];
        self.writer = Some(writer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn merged_runs_give_the_last_state_of_every_key(
            entries in prop::collection::vec(("[abAB/]{0,4}", prop::option::of("[xy]{0,2}")), 0..400),
            folds: bool,
            arena_bytes in 1_usize..600,
        ) {
            let mut sorter = Sorter::with_arena(TemporaryFolder::of_system(), folds, arena_bytes);
            let mut expected = BTreeMap::new();
            for (key, value) in &entries {
                sorter.push([key.as_bytes(), b""], value.as_ref().map(String::as_bytes))?;
                let key = if folds { key.to_ascii_lowercase() } else { key.clone() };
                match value {
                    Some(value) => expected.insert(key, value.clone()),
                    None => expected.remove(&key),
                };
            }
            let mut merge = Merge::new(&sorter.into_runs()?, folds)?;
            for (key, value) in expected {
                prop_assert!(merge.advance()?);
                prop_assert_eq!(merge.order_key(), key.as_bytes());
                prop_assert_eq!(merge.value(), value.as_bytes());
            }
            prop_assert!(!merge.advance()?);
        }
    }
}
