//! A kind of rule about forms or submits; the settings of each kind implement it.

use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;
use crate::rules::form_finding::{FormFinding, Suggestion};

pub type Findings<'e> = Box<dyn Iterator<Item = FormFinding<'e>> + 'e>;

pub trait FormRule {
    /// The objection, a constant text.
    fn summary(&self) -> &'static str;

    fn judges(&self, kind: FormEventKind, form_type: Option<&[u8]>) -> bool;

    /// The objections to a form that can be read, or to a submit; sought only as far as they are
    /// taken.
    fn find<'e>(&'e self, _: &'e FormEvent<'e>, _: &'e FormFacts<'e>) -> Findings<'e> {
        Box::new(std::iter::empty())
    }

    /// A better form to display; None to leave the form as it is.
    fn suggest(&self, _: &FormEvent<'_>, _: &FormFacts<'_>) -> Option<Suggestion> {
        None
    }

    /// Whether the facts do not suffice for a verdict.
    fn is_undecidable(&self, _: &FormEvent<'_>, _: &FormFacts<'_>) -> bool {
        false
    }

    /// Whether a part of the rule could not be judged; asked after a `find` without findings.
    fn is_partly_undecided(&self, _: &FormEvent<'_>, _: &FormFacts<'_>) -> bool {
        false
    }

    /// Why `is_undecidable` or `is_partly_undecided`, as `judge` reports it.
    fn unknown(&self, _: &FormFacts<'_>) -> &'static str {
        ""
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The largest number of files that the paths of a form may span.
    fn max_files(&self) -> Option<u64> {
        None
    }

    fn texts(&self, _form_type: Option<&[u8]>) -> Texts {
        Texts::default()
    }
}

/// Facts that only the server has, to ask for before an event can be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The depots with their types.
    pub depots: bool,
    /// The files of the submit.
    pub files: bool,
    /// The top directories of the depots of these files.
    pub directories: bool,
}

impl Needs {
    #[must_use]
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            depots: self.depots || other.depots,
            files: self.files || other.files,
            directories: self.directories || other.directories,
        }
    }
}

/// Texts of a rule's refusals, each with a line end between its lines; empty for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts {
    /// A sentence on the cost or the remedy.
    pub reason: &'static str,
    /// Before the proposed lines.
    pub fix_heading: &'static str,
    /// After them; `CHANGE` stands for the changelist's number.
    pub fix_ending: &'static str,
}
