//! The errors of the program, each one line of text.

use std::io;
use std::path::Path;

/// An error that ends the program, as one line for the administrator.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The words or options of the command line are wrong.
    Usage(String),
    /// A file cannot be read or written, or its content is damaged.
    File(String),
}

impl Trouble {
    /// Creates an error from a file system error and the path of the file.
    #[must_use]
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Trouble::File(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }

    /// The error as one line of text for the administrator.
    #[must_use]
    pub fn line(&self) -> &str {
        match self {
            Trouble::Usage(line) | Trouble::File(line) => line,
        }
    }
}

/// An I/O error's message without the suffix ` (os error 2)` that the standard library appends.
#[must_use]
pub fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}
