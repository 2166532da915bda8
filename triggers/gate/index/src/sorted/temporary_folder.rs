//! No other process can open the files, and they disappear at the latest when the process ends.

use std::fs::File;
use std::io;
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub struct TemporaryFolder {
    folder: PathBuf,
}

impl TemporaryFolder {
    /// To build an index, the files need about a tenth of the checkpoint's text; free space is not
    /// checked.
    pub fn in_folder(folder: PathBuf) -> Self {
        TemporaryFolder { folder }
    }

    /// `TMPDIR` or `/tmp`.
    pub fn of_system() -> Self {
        Self::in_folder(std::env::temp_dir())
    }

    pub fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }
}
