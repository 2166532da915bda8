//! The reasons that end a subcommand of the Rust programs early: errors, usually one line of text,
//! and the request for help.

use std::io;
use std::path::Path;

/// A reason that ends a subcommand of `p4warden-gate`, `p4warden-index` or `p4warden-log` early.
/// The text of an error is for the administrator: one line, or one per unreadable log.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// No error: the option `--help` requests the usage.
    Help,
    /// Wrong use of the program: the words or options of the command line, or its standard input,
    /// are wrong.
    Usage(String),
    /// Problem of a file: it cannot be read or written, or its content is damaged or belongs to
    /// another server or index.
    File(String),
    /// A file or folder is not the whole checkpoint that it was read as.
    NotWhole(String),
}

impl Trouble {
    /// Creates the error for a file from its path and the error of the file system.
    #[must_use]
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Trouble::File(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }

    /// The exit code of the program: 0 after the requested help, 1 for a problem of a file, 2 for
    /// wrong use, 4 for a checkpoint that is not whole.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Trouble::Help => 0,
            Trouble::File(_) => 1,
            Trouble::Usage(_) => 2,
            Trouble::NotWhole(_) => 4,
        }
    }
}

/// The message of an I/O error without the suffix such as ` (os error 2)` that Rust's standard
/// library appends.
#[must_use]
pub fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}
