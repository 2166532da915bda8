//! Temporary files without a name, which no other process can open and which disappear at the
//! latest when the process ends.

use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Factory for temporary files without a name, in one directory.
#[derive(Clone, Debug)]
pub struct TemporaryFolder {
    folder: PathBuf,
}

impl TemporaryFolder {
    /// Creates the factory for files in `folder`. To build an index, they need space of about a
    /// tenth of the checkpoint's text; the free space is not checked.
    #[must_use]
    pub fn in_folder(folder: PathBuf) -> Self {
        TemporaryFolder { folder }
    }

    /// Creates the factory for files in the system's directory for temporary files (`TMPDIR` or
    /// `/tmp`).
    #[must_use]
    pub fn of_system() -> Self {
        Self::in_folder(std::env::temp_dir())
    }

    /// Creates an empty temporary file that only this process can open.
    pub fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }
}
