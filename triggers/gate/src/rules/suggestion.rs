/// A change of a form before a user sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The whole text of the changed form.
    pub form: Vec<u8>,
    /// What the form lacks, to follow its name in a list: `could have a narrower view`.
    pub improvement: &'static str,
    /// The lines that the change adds.
    pub lines: Vec<String>,
}
