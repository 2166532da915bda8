//! Temporary files: without a name, so that nobody else opens them and they are gone at the end.

use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Makes temporary files in a directory.
#[derive(Clone, Debug)]
pub struct Temporary {
    folder: PathBuf,
}

impl Temporary {
    /// Makes them in a directory, which needs room for about a tenth of the checkpoint's text.
    #[must_use]
    pub fn inside(folder: PathBuf) -> Self {
        Temporary { folder }
    }

    /// Makes them where the system has temporary files.
    #[must_use]
    pub fn anywhere() -> Self {
        Self::inside(std::env::temp_dir())
    }

    /// Makes an empty file that only this process can open.
    pub fn file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.folder)
    }
}
