//! Failures of our own. They never decide: the answer to them is declared beforehand.

use std::fmt;
use std::path::Path;

/// Something of ours failed; the text says what, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    cause: String,
    /// Whether it is the state that failed, so that it cannot be used for the record either.
    pub of_state: bool,
}

impl Fault {
    /// A fault with its cause.
    #[must_use]
    pub fn new(cause: impl Into<String>) -> Self {
        Fault { cause: cause.into(), of_state: false }
    }

    /// The same fault, as one of the state.
    #[must_use]
    pub fn of_state(self) -> Self {
        Fault { of_state: true, ..self }
    }

    /// A file that cannot be used.
    #[must_use]
    pub fn of_file(path: &Path, error: &std::io::Error) -> Self {
        Fault::new(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.cause)
    }
}

/// The system's words for an error; the standard library adds ` (os error 2)`.
fn without_number(text: &str) -> &str {
    text.split(" (os error").next().unwrap_or(text)
}
