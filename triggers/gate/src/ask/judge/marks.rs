//! The part of `--marks` in the answer about a form, for a census and its letters:
//! `{"marks": [[RULE, PLACE, ITEM, VALUE]], "tolerated": [RULE], "max_files": N, "choice": [TEXT]}`.

use crate::base::json::{Object, array, quote_bytes};
use crate::contract::form_finding::FormFinding;
use crate::event::form_event::FormEvent;
use crate::facts::form_facts::{FormFacts, Mark, Marks};
use crate::judge::baseline::{holds_back, marks};
use crate::judge::form_outcome::{FormOutcome, fix_lines};
use crate::judge::form_refusal::choice_sentences;

#[derive(Default)]
pub(super) struct SpecMarks {
    /// Of all findings, with nothing held back: the entries of the spec in a new baseline.
    marks: Vec<(Mark, Option<i64>)>,
    /// The rules of which the given baseline, or without one the new one, holds back all objections,
    /// if they let it.
    tolerated: Vec<String>,
}

impl SpecMarks {
    /// `all` is the outcome without a baseline.
    pub fn of<'f>(
        all: &FormOutcome<'_>,
        event: &FormEvent<'_>,
        baseline: Option<Marks>,
        facts_with: impl Fn(Marks) -> FormFacts<'f>,
    ) -> Self {
        let case_sensitive = facts_with(Marks::new()).case_sensitive;
        let judgements = &all.judgements;
        let of_rules =
            judgements.iter().map(|one| marks(&one.rule().name, &one.findings, case_sensitive));
        let marks: Vec<_> = of_rules.flatten().collect();
        let facts = facts_with(baseline.unwrap_or_else(|| marks.iter().cloned().collect()));
        let is_readable = event.readable_form().is_some();
        let tolerated = judgements
            .iter()
            .filter(|one| is_readable && holds_back(&one.rule().name, &one.findings, &facts));
        let tolerated = tolerated.map(|one| one.rule().name.clone()).collect();
        SpecMarks { marks, tolerated }
    }

    /// `findings` are those of the decisive rule, `max_files` is the smallest limit of the files that
    /// a view spans.
    pub fn add_to(
        &self,
        object: &mut Object<'_>,
        findings: &[FormFinding<'_>],
        max_files: Option<u64>,
    ) {
        let mut json = String::new();
        array(&mut json, &self.marks, |to, ((rule, place, item), value)| {
            to.push('[');
            for text in [rule, place, item] {
                quote_bytes(to, text);
                to.push_str(", ");
            }
            to.push_str(&value.map_or("null".to_owned(), |value| value.to_string()));
            to.push(']');
        });
        let choice = choice_sentences(findings, &fix_lines(findings));
        object.raw("marks", &json).texts("tolerated", &self.tolerated);
        object.maybe_number("max_files", max_files).texts("choice", choice);
    }
}
