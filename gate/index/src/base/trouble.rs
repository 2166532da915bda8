//! The errors of the program: one line each.

use std::io;
use std::path::Path;

/// A reason to stop, as one line for the administrator.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The command line is wrong.
    Usage(String),
    /// A file cannot be read or written, or its content is damaged.
    File(String),
}

impl Trouble {
    /// An error of the file system, with the file that it is about.
    #[must_use]
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Trouble::File(format!("{}: {error}", path.display()))
    }

    /// The line to print.
    #[must_use]
    pub fn line(&self) -> &str {
        match self {
            Trouble::Usage(line) | Trouble::File(line) => line,
        }
    }
}
