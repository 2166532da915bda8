//! The records of `db.have`, with a short summary by which a client's synced files can be counted
//! without reading all records again.

use crate::assemble::store::Store;
use crate::assemble::synced_directories::counted_directory;
use crate::base::numbers::put_number;
use crate::sorted::run::{Run, RunWriter};
use crate::sorted::temporary_folder::TemporaryFolder;
use memchr::memchr;
use std::io;

pub struct SyncedFiles {
    /// If `is_kept` is false, it only checks the order of the records.
    pub store: Store,
    groups: Groups,
    is_kept: bool,
}

/// Consecutive files in one directory form a group, stored as the client path of its first file and
/// the number of files. Directories deeper than the deepest counted level count as one with their
/// parent on that level.
struct Groups {
    writer: RunWriter,
    first_path: Vec<u8>,
    /// Length of the current group's directory.
    directory_bytes: usize,
    /// Files in subdirectories of the deepest counted level belong to the group.
    is_deepest: bool,
    files: u64,
    /// All records came from checkpoints, in sorted order, and none was deleted.
    is_valid: bool,
}

impl SyncedFiles {
    pub fn new(temporary: &TemporaryFolder) -> io::Result<Self> {
        let groups = Groups {
            writer: RunWriter::new(temporary.file()?),
            first_path: Vec::new(),
            directory_bytes: 0,
            is_deepest: false,
            files: 0,
            is_valid: true,
        };
        Ok(SyncedFiles { store: Store::new(temporary)?, groups, is_kept: true })
    }

    /// `lacks_records` states afterwards whether the records are needed after all.
    #[must_use]
    pub fn without_records(self) -> Self {
        match self.store {
            Store::Spooling(spool) => SyncedFiles {
                store: Store::Spooling(spool.without_entries()),
                is_kept: false,
                ..self
            },
            Store::Sorting(..) => self,
        }
    }

    #[must_use]
    pub fn lacks_records(&self) -> bool {
        !self.is_kept && !self.groups.is_valid
    }

    /// The value is the file's time and depot path (empty if only the number of files matters),
    /// None if the record was deleted.
    pub fn push(&mut self, path: &[u8], value: Option<&[u8]>) -> io::Result<()> {
        match &mut self.store {
            Store::Spooling(spool) => {
                let shared = spool.push([path, b""], value)?;
                self.groups.is_valid &= value.is_some();
                self.groups.pass(path, shared)
            }
            Store::Sorting(_, sorter) => {
                self.groups.is_valid = false;
                sorter.push([path, b""], value)
            }
        }
    }

    /// After the last checkpoint record was added.
    pub fn sorting(self, temporary: &TemporaryFolder, folds: bool) -> io::Result<Self> {
        let SyncedFiles { store, mut groups, is_kept } = self;
        groups.is_valid &= matches!(&store, Store::Spooling(spool) if spool.is_sorted(folds));
        Ok(SyncedFiles { store: store.sorting(temporary, folds)?, groups, is_kept })
    }

    /// The groups, or all records if the groups are not valid.
    pub fn into_groups(mut self) -> io::Result<Vec<Run>> {
        if !self.groups.is_valid {
            return self.store.into_runs();
        }
        self.groups.close()?;
        Ok(vec![self.groups.writer.run_from(0)?])
    }
}

impl Groups {
    /// `shared` is the number of bytes that the path shares with the previous path.
    fn pass(&mut self, path: &[u8], shared: usize) -> io::Result<()> {
        if shared == path.len() {
            return Ok(());
        }
        let is_same = self.directory_bytes > 0 && shared >= self.directory_bytes;
        let name = path.get(self.directory_bytes..).unwrap_or_default();
        if is_same && (self.is_deepest || memchr(b'/', name).is_none()) {
            self.files += 1;
            return Ok(());
        }
        self.close()?;
        self.first_path.extend_from_slice(path);
        self.files = 1;
        (self.directory_bytes, self.is_deepest) = counted_directory(path);
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        let mut files = Vec::new();
        put_number(&mut files, self.files);
        if self.files > 0 {
            self.writer.push([&self.first_path, b""], Some(&files))?;
        }
        self.first_path.clear();
        Ok(())
    }
}
