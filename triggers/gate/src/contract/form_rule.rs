//! A kind of rule about forms or submits; the settings of each kind implement it.

use crate::contract::draft::{Draft, Server};
use crate::contract::form_finding::{FormFinding, Suggestion};
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::facts::form_facts::FormFacts;

pub type Findings<'e> = Box<dyn Iterator<Item = FormFinding<'e>> + 'e>;

/// With the type of the form; None for a submit.
pub type JudgedEvent<'r> = (FormEventKind, Option<&'r str>);

pub trait FormRule {
    /// In the order of the trigger lines.
    fn events(&self) -> Vec<JudgedEvent<'_>>;

    fn judges(&self, kind: FormEventKind, form_type: Option<&[u8]>) -> bool {
        let is_same =
            |(judged, of): &JudgedEvent<'_>| *judged == kind && of.map(str::as_bytes) == form_type;
        self.events().iter().any(is_same)
    }

    /// The objections to a form that can be read, or to a submit; sought only as far as they are
    /// taken.
    fn find<'e>(&'e self, _: &'e FormEvent<'e>, _: &'e FormFacts<'e>) -> Findings<'e> {
        Box::new(std::iter::empty())
    }

    /// A better form to display; None to leave the form as it is.
    fn suggest(&self, _: &FormEvent<'_>, _: &FormFacts<'_>) -> Option<Suggestion> {
        None
    }

    /// Why the facts do not suffice for a verdict, as `judge` reports it.
    fn undecidable(&self, _: &FormEvent<'_>, _: &FormFacts<'_>) -> Option<&'static str> {
        None
    }

    /// Why a part of the rule could not be judged; asked after a `find` without findings.
    fn partly_undecided(&self, _: &FormEvent<'_>, _: &FormFacts<'_>) -> Option<&'static str> {
        None
    }

    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// The largest number of files that the paths of a form may span.
    fn max_files(&self) -> Option<u64> {
        None
    }

    /// Whether the paths that a stream has from other streams count.
    fn counts_inherited(&self) -> bool {
        false
    }

    /// Events that the rule should stop, the simplest first, for the tightest of its settings.
    fn drafts(&self, server: &Server<'_>) -> Vec<Draft>;

    /// Why the rule may stop none of its drafts; follows a colon.
    fn without_witness(&self) -> String;

    /// On the number of depots, if the rule sets any.
    fn depot_limits(&self) -> DepotLimits {
        DepotLimits::default()
    }

    /// Tells the rule the limits of the policy's other rules.
    fn heed(&mut self, _: DepotLimits) {}

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
    /// Up to which all files of the submit are counted; 0 for not at all.
    pub file_count: u64,
    /// Whether the server still has a client that the index has, for a form with an empty View.
    pub client: bool,
}

impl Needs {
    pub fn asks_for_files(self) -> bool {
        self.files || self.directories || self.file_count > 0
    }

    pub fn and(self, other: Needs) -> Needs {
        Needs {
            depots: self.depots || other.depots,
            files: self.files || other.files,
            directories: self.directories || other.directories,
            file_count: self.file_count.max(other.file_count),
            client: self.client || other.client,
        }
    }
}

/// None without a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepotLimits {
    pub of_all: Option<u32>,
    pub of_local: Option<u32>,
}

impl DepotLimits {
    pub fn and(self, other: DepotLimits) -> DepotLimits {
        let least = |one: Option<u32>, other: Option<u32>| one.into_iter().chain(other).min();
        DepotLimits {
            of_all: least(self.of_all, other.of_all),
            of_local: least(self.of_local, other.of_local),
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
