use std::io;
use std::path::Path;

/// Ends a subcommand early. An error is for the administrator: one line, or one per unreadable log.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// The option `--help` requests the usage.
    Help,
    /// The command line or the standard input is wrong.
    Usage(String),
    /// A file cannot be read or written, is damaged, or belongs to another server or index.
    File(String),
    /// A file or folder is not the whole checkpoint that it was read as.
    NotWhole(String),
}

impl Fault {
    pub fn of_file(path: &Path, error: &io::Error) -> Self {
        Fault::File(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }

    pub fn of_output(error: &io::Error) -> Self {
        Fault::File(format!("the standard output: {}", without_number(&error.to_string())))
    }

    /// The error that records could not be kept in a temporary file.
    pub fn of_temporary_file(error: &io::Error) -> Self {
        Fault::File(format!("cannot write a temporary file: {error}"))
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Fault::Help => 0,
            Fault::File(_) => 1,
            Fault::Usage(_) => 2,
            Fault::NotWhole(_) => 4,
        }
    }
}

/// Why a file cannot be read further; of compressed data in own words, because the messages of the
/// gzip library are terse.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data end early".to_owned(),
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            format!("the compressed data are damaged ({error})")
        }
        _ => error.to_string(),
    }
}

/// Rust's standard library appends a suffix such as ` (os error 2)`.
pub fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}
