use crate::base::patterns::is_same;

/// In the order of `facts.json`; empty if unknown.
#[derive(Clone, Debug, Default)]
pub struct KnownDepots(pub Vec<Depot>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depot {
    pub name: Vec<u8>,
    /// `local`, `stream`, `spec`, ...
    pub kind: Vec<u8>,
    /// The top ones; None if unknown or too many to store.
    pub directories: Option<Vec<Vec<u8>>>,
    /// 0 if unknown.
    pub directory_count: u64,
    /// None if the server was not asked.
    pub confirmed_directories: Option<Vec<Vec<u8>>>,
}

impl KnownDepots {
    /// Compares names as the server does.
    #[must_use]
    pub fn named(&self, name: &[u8], case_sensitive: bool) -> Option<&Depot> {
        self.0.iter().find(|depot| is_same(&depot.name, name, case_sensitive))
    }
}
