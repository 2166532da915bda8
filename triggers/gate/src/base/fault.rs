//! Faults: failures of p4warden itself, such as an unreadable file. If a fault prevents the
//! decision on an event, the setting `on_error` decides.

use p4warden_index::base::trouble::without_number;
use std::fmt;
use std::path::Path;

/// A failure of p4warden itself, described in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    cause: String,
    /// Whether the fault concerns the state file; such a fault cannot be counted in the state file.
    pub is_of_state: bool,
}

impl Fault {
    /// Creates a fault from a one-line description of the cause.
    #[must_use]
    pub fn new(cause: impl Into<String>) -> Self {
        Fault { cause: cause.into(), is_of_state: false }
    }

    /// Returns the fault, marked as a failure of the state file.
    #[must_use]
    pub fn of_state(self) -> Self {
        Fault { is_of_state: true, ..self }
    }

    /// Creates the fault for a file that cannot be used: its path and the system's error message.
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
