use std::io;
use std::path::Path;

/// Ends a subcommand early. An error is for the administrator: one line, or one per unreadable log.
#[derive(Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The option `--help` requests the usage.
    Help,
    /// The command line or the standard input is wrong.
    Usage(String),
    /// A file cannot be read or written, is damaged, or belongs to another server or index.
    File(String),
    /// A file or folder is not the whole checkpoint that it was read as.
    NotWhole(String),
}

impl Trouble {
    #[must_use]
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Trouble::File(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }

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

/// Rust's standard library appends a suffix such as ` (os error 2)`.
#[must_use]
pub fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}
