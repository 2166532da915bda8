use crate::base::effort::{Effort, EffortSpent};
use crate::forms::view_lines::FormLine;
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
    /// Lines to write instead, the best first.
    pub fix: Vec<String>,
    /// That `fix` replaces; None if `fix` is no line of the form's field.
    pub line: Option<FormLine>,
    /// In place of `problem`, if lines are proposed.
    pub problem_with_fix: Option<String>,
    /// Only logged, even if the rule is enforced.
    pub is_warning: bool,
    /// In words, unless `item` names them; for the baseline.
    pub counted_things: &'static str,
    /// Others to choose from.
    pub further: Vec<String>,
    /// The form may not have all of `further` beside `fix`.
    pub is_full: bool,
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

    pub fn measured(self, value: u64, limit: u64) -> Self {
        FormFinding { value: i64::try_from(value).ok(), limit: i64::try_from(limit).ok(), ..self }
    }

    /// Leaves these lines of `fix`; the others, and further ones, can only replace them.
    pub fn keep(&mut self, kept: Vec<String>) {
        let dropped = std::mem::take(&mut self.fix).into_iter().filter(|line| !kept.contains(line));
        self.further = dropped.chain(std::mem::take(&mut self.further)).collect();
        if kept.is_empty() {
            self.further.clear();
        }
        self.is_full = !self.further.is_empty();
        self.fix = kept;
    }

    /// Adds the lines that `advice` proposes, unless the work would exceed the rest of the effort.
    pub fn advise(&mut self, effort: &mut Effort) {
        if let Some(advice) = self.advice.take() {
            let _ = advice(self, effort);
        }
    }
}
