//! Failures of p4warden itself; if one prevents a decision, the setting `on_error` decides.

use p4warden_index::base::fault::without_number;
use std::fmt;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    cause: String,
    /// Whether the fault concerns the state file; such a fault cannot be counted in the state file.
    pub is_of_state: bool,
}

impl Fault {
    pub fn new(cause: impl Into<String>) -> Self {
        Fault { cause: cause.into(), is_of_state: false }
    }

    pub fn of_state(self) -> Self {
        Fault { is_of_state: true, ..self }
    }

    pub fn of_file(path: &Path, error: &dyn fmt::Display) -> Self {
        Fault::new(format!("{}: {}", path.display(), without_number(&error.to_string())))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.cause)
    }
}
