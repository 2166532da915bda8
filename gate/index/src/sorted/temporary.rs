//! Temporary files without a name, so that no other process can open them and they vanish with the
//! process.

use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Factory for nameless temporary files in one directory.
#[derive(Clone, Debug)]
pub struct Temporary {
    folder: PathBuf,
}

impl Temporary {
    /// Uses a given directory, which needs free space of about a tenth of the checkpoint's text.
    #[must_use]
    pub fn inside(folder: PathBuf) -> Self {
        Temporary { folder }
    }

    /// Creates the factory for the system's directory for temporary files (`TMPDIR` or `/tmp`).
    #[must_use]
    pub fn anywhere() -> Self {
        Self::inside(std::env::temp_dir())
    }

    /// Creates an empty file that only this process can open.
    pub fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }
}
