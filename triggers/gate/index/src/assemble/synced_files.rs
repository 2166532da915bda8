//! Storage for the records of `db.have`, with a short summary by which a client's synced files can
//! be counted without reading all records again.

use crate::assemble::store::Store;
use crate::assemble::synced_directories::counted_directory;
use crate::base::numbers::put_number;
use crate::sorted::run::{Run, RunWriter};
use crate::sorted::temporary_folder::TemporaryFolder;
use memchr::memchr;
use std::io;

/// Storage for the records of `db.have`, whose keys are the paths of synced files in client syntax.
pub struct SyncedFiles {
    /// Store for the `db.have` records; if `is_kept` is false, it only checks their order and
    /// stores none of them.
    pub store: Store,
    groups: Groups,
    /// Whether the `db.have` records themselves are stored, not only their summary.
    is_kept: bool,
}

/// Summary of `db.have`: consecutive files in one directory form a group, stored as the client path
/// of the group's first file and the number of files. Directories deeper than the deepest counted
/// level count as one with their parent on that level.
struct Groups {
    writer: RunWriter,
    /// Client path of the first file in the group of consecutive synced files that is being
    /// counted.
    first_path: Vec<u8>,
    /// Length in bytes of the directory path of the group of synced files that is being counted;
    /// directories deeper than the deepest counted level are cut to that level.
    directory_bytes: usize,
    /// Whether the directory of the group of synced files that is being counted is on the deepest
    /// counted level, so that files in its subdirectories belong to the group.
    is_deepest: bool,
    /// Number of files in the group of consecutive synced files that is being counted.
    files: u64,
    /// Whether the groups are valid: all `db.have` records came from checkpoints, in sorted order,
    /// and none was deleted.
    is_valid: bool,
}

impl SyncedFiles {
    /// Creates an empty store, which first receives the `db.have` records of checkpoints.
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

    /// Returns this store, set to store only the groups of files, not the records; `lacks_records`
    /// states afterwards whether the records are needed after all.
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

    /// Whether the `db.have` records are needed for counting, because their groups are not valid,
    /// but were not stored.
    #[must_use]
    pub fn lacks_records(&self) -> bool {
        !self.is_kept && !self.groups.is_valid
    }

    /// Adds a `db.have` record: the client path of a synced file and, as value, its time and depot
    /// path (empty if only the number of files matters). A value of None means that the record was
    /// deleted.
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

    /// Prepares the store for journal records, after the last checkpoint record was added; `folds`
    /// states whether paths are compared without case.
    pub fn sorting(self, temporary: &TemporaryFolder, folds: bool) -> io::Result<Self> {
        let SyncedFiles { store, mut groups, is_kept } = self;
        groups.is_valid &= matches!(&store, Store::Spooling(spool) if spool.is_sorted(folds));
        Ok(SyncedFiles { store: store.sorting(temporary, folds)?, groups, is_kept })
    }

    /// The sorted runs from which the synced files are counted: the groups, each with its number of
    /// files as value, or all records if the groups are not valid.
    pub fn into_groups(mut self) -> io::Result<Vec<Run>> {
        if !self.groups.is_valid {
            return self.store.into_runs();
        }
        self.groups.close()?;
        Ok(vec![self.groups.writer.run_from(0)?])
    }
}

impl Groups {
    /// Adds the next path of `db.have` to the groups; `shared` is the number of bytes that the path
    /// has in common with the start of the previous path.
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

    /// Writes the group of synced files that is being counted to the summary of `db.have`.
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
