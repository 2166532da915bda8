use crate::facts::known_depots::KnownDepots;
pub use p4warden_index::estimate::form::Span as SpannedFiles;
pub use p4warden_index::estimate::wide_lines::WideLine;
use std::cell::OnceCell;
use std::collections::BTreeMap;

#[derive(Clone)]
pub struct FormFacts<'f> {
    pub case_sensitive: bool,
    /// False if the mode is unknown.
    pub unicode: bool,
    pub server_id: Option<String>,
    /// Whether client forms have the field LimitView; false if unknown.
    pub limit_view: bool,
    pub depots: &'f KnownDepots<'f>,
    /// Words after `as of` about an outdated list of depots; empty for a current one.
    pub depots_as_of: String,
    pub baseline: Baseline<'f>,
    pub spanned_files: Option<SpannedFiles>,
    /// Of the form of a stream that adds to what others give it; None without an index.
    pub inherited: Option<InheritedPaths>,
    /// As `//depot/main/`: those with most synced files of the event's client, then of all clients
    /// of the user. Called only once a refusal proposes lines, because it may open the index.
    pub used_directories: &'f dyn Fn() -> Vec<Vec<u8>>,
    /// Before the event; None if unknown.
    pub client_exists: &'f dyn Fn() -> Option<bool>,
}

/// A finding that a census tolerated: the rule's name, the place without its number, the words of
/// the item separated by tabs.
pub type Mark = (Vec<u8>, Vec<u8>, Vec<u8>);

/// With the measured value of each.
pub type Marks = BTreeMap<Mark, Option<i64>>;

/// Those of the event's spec, read for the first finding.
#[derive(Clone)]
pub struct Baseline<'f> {
    marks: OnceCell<Marks>,
    read: &'f dyn Fn() -> Marks,
}

impl<'f> Baseline<'f> {
    pub fn of(marks: Marks) -> Self {
        Baseline { marks: marks.into(), read: &Marks::new }
    }

    pub fn read_by(read: &'f dyn Fn() -> Marks) -> Self {
        Baseline { marks: OnceCell::new(), read }
    }

    pub fn marks(&self) -> &Marks {
        self.marks.get_or_init(self.read)
    }
}

/// The depot paths that a stream has from its ancestors and its components.
#[derive(Clone, Debug, Default)]
pub struct InheritedPaths {
    pub certain: Vec<Vec<u8>>,
    /// Further ones, by another reading of p4d's documentation.
    pub possible: Vec<Vec<u8>>,
    /// Of the form's own paths and all of these; None if it was not counted, or if none is only
    /// possible.
    pub possible_files: Option<u64>,
    /// False if the index does not tell all of them.
    pub is_complete: bool,
}
