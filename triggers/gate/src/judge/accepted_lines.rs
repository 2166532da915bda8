//! The lines that findings propose, of which those stay with which the policy accepts the form: it is
//! judged again with them in place of the refused lines.

use crate::base::effort::Effort;
use crate::contract::form_finding::FormFinding;
use crate::event::form_event::FormEvent;
use crate::facts::form_facts::FormFacts;
use crate::forms::form::Form;
use crate::forms::view_lines::FormLine;
use crate::judge::command_outcome::Verdict;
use crate::judge::form_decision::{MAX_FINDINGS, judge};
use crate::judge::form_outcome::{FormJudgement, FormOutcome, in_turn};
use crate::judge::form_standing::FormStanding;
use crate::proposals::placeholders::with_names;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// For the proposed lines of all findings about an event: under 0.1 s.
const MAX_ADVICE_STEPS: u64 = 10_000;
/// Of a field, judged again in all; a form of more than half as many is judged once or twice again.
const MAX_JUDGED_LINES: usize = 3_000;
/// Of one finding, judged together to learn whether all may be chosen.
const MAX_TOGETHER: usize = 100;

/// The lines in place of some of a form, by their number, and the named field.
type Replaced = BTreeMap<(&'static str, usize), Vec<Vec<u8>>>;
/// A rule's name, the item and the counted things, with the measured value.
type Objections = BTreeMap<(String, Vec<u8>, &'static str), Option<i64>>;

/// Completes the findings. Directories in use are looked up only for a refusal.
pub fn advise(
    outcome: &mut FormOutcome<'_>,
    standings: &[FormStanding<'_>],
    event: &FormEvent<'_>,
    facts: &FormFacts<'_>,
) {
    let mut effort = Effort::of(MAX_ADVICE_STEPS);
    for judgement in &mut outcome.judgements {
        effort.may_look_up = judgement.verdict == Verdict::Refuse;
        judgement.findings.iter_mut().for_each(|finding| finding.advise(&mut effort));
    }
    if let Some(form) = event.readable_form() {
        let mut again = JudgedAgain::new(outcome, standings, event, facts, form);
        outcome.judgements.iter_mut().for_each(|judgement| again.keep_accepted(judgement));
    }
    let findings = outcome.judgements.iter_mut().flat_map(|one| &mut one.findings);
    for finding in findings.filter(|finding| !finding.fix.is_empty()) {
        if let Some(problem) = finding.problem_with_fix.take() {
            finding.problem = problem;
        }
    }
}

struct JudgedAgain<'j> {
    standings: &'j [FormStanding<'j>],
    event: &'j FormEvent<'j>,
    /// Without the files of the refused lines.
    facts: FormFacts<'j>,
    form: &'j Form<'j>,
    objections: Objections,
    /// Whether its lines are judged again once or twice only.
    is_long: bool,
    lines_left: usize,
}

impl<'j> JudgedAgain<'j> {
    fn new(
        outcome: &FormOutcome<'_>,
        standings: &'j [FormStanding<'j>],
        event: &'j FormEvent<'j>,
        facts: &FormFacts<'j>,
        form: &'j Form<'j>,
    ) -> Self {
        let facts = FormFacts { spanned_files: None, ..facts.clone() };
        let line_count = line_count(form);
        let is_long = line_count > MAX_JUDGED_LINES / 2;
        let lines_left = if is_long { 2 * line_count + MAX_TOGETHER } else { MAX_JUDGED_LINES };
        let objections = objections(&outcome.judgements, Verdict::Allow);
        JudgedAgain { standings, event, facts, form, objections, is_long, lines_left }
    }

    /// Tries all lines of all findings together, then those to be shown, and if both forms are
    /// refused, one line after the other, first the first of each finding.
    fn keep_accepted(&mut self, judgement: &mut FormJudgement<'_>) {
        let least = judgement.verdict;
        let mut findings: Vec<_> =
            judgement.findings.iter_mut().filter(|one| is_line(one)).collect();
        if findings.is_empty() {
            return;
        }
        let of = |one: &&mut FormFinding<'_>, most: usize| -> Vec<String> {
            one.fix.iter().chain(&one.further).take(most).cloned().collect()
        };
        let all: Vec<_> = findings.iter().map(|one| of(one, MAX_TOGETHER)).collect();
        let lines_left = self.lines_left;
        if !self.is_long && self.accepts(&replaced(&findings, &all), least) {
            return;
        }
        let shown: Vec<_> = findings.iter().map(|one| of(one, one.fix.len())).collect();
        // The try of all leaves enough for the try of those to be shown.
        let needed = line_count(self.form) + shown.iter().map(Vec::len).sum::<usize>();
        self.lines_left = self.lines_left.max(needed.min(lines_left));
        if self.accepts(&replaced(&findings, &shown), least) {
            findings.iter_mut().zip(shown).for_each(|(finding, shown)| finding.keep(shown));
            return;
        }
        let mut kept = vec![Vec::new(); findings.len()];
        for (number, line) in in_turn(findings.iter().map(|finding| &**finding)) {
            let mut with_line = kept.clone();
            with_line.iter_mut().skip(number).take(1).for_each(|own| own.push(line.to_owned()));
            if self.accepts(&replaced(&findings, &with_line), least) {
                kept = with_line;
            }
        }
        for (finding, kept) in findings.iter_mut().zip(kept) {
            finding.keep(kept);
        }
    }

    /// Whether the form with these lines has only objections that it had before, of rules whose
    /// verdict is at least as severe.
    fn accepts(&mut self, replaced: &Replaced, least: Verdict) -> bool {
        if self.lines_left < line_count(self.form) {
            return false;
        }
        let form = corrected(self.form, replaced);
        let Some(left) = self.lines_left.checked_sub(line_count(&form)) else { return false };
        self.lines_left = left;
        let event = FormEvent { form: Some(Ok(form)), ..self.event.clone() };
        let outcome = judge(self.standings, &event, &self.facts, Some(MAX_FINDINGS));
        let new: BTreeSet<&[u8]> = replaced.values().flatten().map(Vec::as_slice).collect();
        objections(&outcome.judgements, least).iter().all(|(objection, value)| {
            let item = &*objection.1;
            let was_there = || match self.objections.get(objection) {
                Some(old) => value <= old,
                // Of many objections only the first were noted.
                None => self.form.fields.values().flatten().any(|line| **line == *item),
            };
            !new.contains(item) && was_there()
        })
    }
}

/// Of the longest field.
fn line_count(form: &Form<'_>) -> usize {
    form.fields.values().map(Vec::len).max().unwrap_or_default()
}

fn is_line(finding: &FormFinding<'_>) -> bool {
    finding.line.is_some() && !finding.fix.is_empty()
}

fn objections(judgements: &[FormJudgement<'_>], least: Verdict) -> Objections {
    let severe = judgements.iter().filter(|judgement| judgement.verdict >= least);
    let findings = severe.flat_map(|one| one.findings.iter().map(move |finding| (one, finding)));
    let objections = findings.filter(|(_, finding)| !finding.is_warning).map(|(one, finding)| {
        let FormFinding { item, counted_things, value, .. } = finding;
        ((one.rule().name.clone(), item.clone(), *counted_things), *value)
    });
    objections.collect()
}

/// With names in place of placeholders.
fn replaced(findings: &[&mut FormFinding<'_>], lines: &[Vec<String>]) -> Replaced {
    let mut replaced = Replaced::new();
    for (finding, lines) in findings.iter().zip(lines).filter(|(_, lines)| !lines.is_empty()) {
        let Some(FormLine { field, number }) = finding.line else { continue };
        let to = replaced.entry((field, number)).or_default();
        to.extend(lines.iter().map(|line| with_names(line).into_bytes()));
        to.dedup();
    }
    replaced
}

/// Lines that replace p4d's default view come first.
fn corrected<'f>(form: &'f Form<'_>, replaced: &'f Replaced) -> Form<'f> {
    let mut fields = form.fields.clone();
    for field in replaced.keys().map(|(field, _)| *field).collect::<BTreeSet<_>>() {
        let name = field.to_ascii_lowercase();
        let old = [None].into_iter().chain(form.lines(&name).iter().map(Some)).enumerate();
        let lines = old.flat_map(|(number, line)| match replaced.get(&(field, number)) {
            Some(new) => new.iter().map(|line| Cow::Borrowed(line.as_slice())).collect(),
            None => line.cloned().into_iter().collect::<Vec<_>>(),
        });
        fields.insert(name.into_bytes().into(), lines.collect());
    }
    Form { fields, ..Form::default() }
}
