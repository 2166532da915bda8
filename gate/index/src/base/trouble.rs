//! The errors that end the programs `p4warden-index` and `p4warden-log`, usually one line of text.

use std::io;
use std::path::Path;

/// An error that ends the program `p4warden-index` or `p4warden-log`, with text for the
/// administrator: one line, or one per unreadable log.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Wrong use of the program: the words or options of the command line, or its standard input,
    /// are wrong.
    Usage(String),
    /// Problem of a file: it cannot be read or written, or its content is damaged or belongs to
    /// another server or index.
    File(String),
}

impl Trouble {
    /// Creates the error for a file from its path and the error of the file system.
    #[must_use]
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Trouble::File(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }

    /// The error's message for the administrator, usually one line of text.
    #[must_use]
    pub fn line(&self) -> &str {
        match self {
            Trouble::Usage(line) | Trouble::File(line) => line,
        }
    }
}

/// The message of an I/O error without the suffix such as ` (os error 2)` that Rust's standard
/// library appends.
#[must_use]
pub fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}
