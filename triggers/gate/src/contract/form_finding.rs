use crate::base::effort::{Effort, EffortSpent};
use crate::proposals::stream_clients::StreamClient;

/// An objection of a rule to a form or a submit.
#[derive(Default)]
pub struct FormFinding<'e> {
    /// As the user wrote it, for example a view line.
    pub item: Vec<u8>,
    /// For display: `View line 3`.
    pub place: String,
    /// Words that follow the item.
    pub problem: String,
    /// None without a measurement.
    pub value: Option<i64>,
    /// Of the policy.
    pub limit: Option<i64>,
    /// Lines to write instead.
    pub fix: Vec<String>,
    /// Only logged, even if the rule is enforced.
    pub is_warning: bool,
    /// In words, unless `item` names them; for the baseline.
    pub counted_things: &'static str,
    /// Lines not in `fix`: each can replace one of it.
    pub further_count: usize,
    /// With all lines the form would exceed a limit.
    pub exceeds_room: bool,
    /// It alone refuses the form; further ones are searched on request.
    pub is_decisive: bool,
    /// Without a change of the spec; a baseline compares the item alone.
    pub is_growing: bool,
    /// Most bytes of a name for the placeholder `SHORT` in `fix`.
    pub short_bytes: Option<usize>,
    /// To make in place of the form's client, for files of stream depots.
    pub stream_clients: Vec<StreamClient>,
    /// Completes `fix`, once the verdict is certain.
    pub advice: Option<Advice<'e>>,
}

pub type Advice<'e> =
    Box<dyn FnOnce(&mut FormFinding<'e>, &mut Effort) -> Result<(), EffortSpent> + 'e>;

/// A form that a suggest rule displays in place of the one that p4d would show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The text of the whole form.
    pub form: Vec<u8>,
    /// Words that follow `the form`.
    pub improvement: &'static str,
    /// The changed lines, with their new text.
    pub lines: Vec<String>,
}

impl FormFinding<'_> {
    pub fn new(
        item: impl Into<Vec<u8>>,
        place: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        let (item, place, problem) = (item.into(), place.into(), problem.into());
        FormFinding { item, place, problem, ..FormFinding::default() }
    }

    #[must_use]
    pub fn measured(self, value: u64, limit: u64) -> Self {
        FormFinding { value: i64::try_from(value).ok(), limit: i64::try_from(limit).ok(), ..self }
    }

    /// Adds the lines that `advice` proposes, unless the work would exceed the rest of the effort.
    pub fn advise(&mut self, effort: &mut Effort) {
        if let Some(advice) = self.advice.take() {
            let _ = advice(self, effort);
        }
    }
}
