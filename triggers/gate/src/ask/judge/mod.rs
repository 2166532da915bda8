//! `p4warden-gate judge`: reads events and questions as JSON lines and writes a JSON line
//! with the result of each.
//!
//! Uses the same decision functions as the triggers, but keeps the request rates in memory and
//! judges each event at its own time, if it states one.

mod answer;
mod command_judge;
mod command_line;
mod event_line;
mod form_answer;
mod form_facts;
mod form_judge;
mod form_line;
mod form_request;
mod gain;
mod judged_policy;
mod listed_rules;
mod marks;
mod question;
mod running_judge;
mod running_line;
mod standing;
mod stream;
mod time;
mod witness;

pub use form_judge::FormJudge;
pub use form_request::write_fields;
pub use judged_policy::JudgedPolicy;
pub use listed_rules::ListedRules;
pub use stream::{MAX_LINE_BYTES, stream};

use crate::event::command_event::Event;
use crate::facts::depots::Depots;
use crate::judge::command_decision::{RateFreeResults, allows, standings};
use crate::judge::command_outcome::Outcome;
use crate::judge::command_policy::Rules;
use crate::judge::rates_in_memory::Memory;
use crate::policy::selector::Classes;
use event_line::{EventKind, EventLine};
use p4warden_index::file::index::Index;
use question::Question;
use std::cell::LazyCell;
use std::rc::Rc;

/// Parts of an answer that are on request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// The text of a refusal.
    pub has_texts: bool,
    /// Those of `marks.rs`.
    pub has_marks: bool,
    /// Every finding about a form, even after one that suffices to refuse it.
    pub has_all_findings: bool,
}

pub struct Judge<'p> {
    policy: &'p JudgedPolicy<'p>,
    rates: Memory,
    zone: Rc<tz::TimeZone>,
    parts: Parts,
    listed: Option<ListedRules<'p>>,
    index: Option<Rc<Index>>,
    /// Or why forms and submits cannot be judged.
    forms: Result<FormJudge<'p>, String>,
}

impl<'p> Judge<'p> {
    pub fn new(policy: &'p JudgedPolicy<'p>, zone: tz::TimeZone) -> Self {
        let forms = Err("only commands are judged".to_owned());
        let (rates, zone) = (Memory::new([0; 16]), Rc::new(zone));
        Judge { policy, rates, zone, parts: Parts::default(), listed: None, index: None, forms }
    }

    /// Of the policy.
    pub fn classes(&self) -> Classes<'p> {
        self.policy.policy.classes()
    }

    pub fn with(self, parts: Parts) -> Self {
        Judge { parts, ..self }
    }

    /// Answers have the parts of these rules.
    pub fn with_rules(self, listed: Option<ListedRules<'p>>) -> Self {
        Judge { listed, ..self }
    }

    pub fn with_index(self, index: Option<Index>) -> Self {
        Judge { index: index.map(Rc::new), ..self }
    }

    pub fn with_forms(self, forms: Result<FormJudge<'p>, String>) -> Self {
        Judge { forms, ..self }
    }

    /// `now_ns` gives the time of an event that states none; the error describes an invalid line.
    pub fn line(
        &mut self,
        line: &[u8],
        now_ns: impl Fn() -> u64,
        to: &mut String,
    ) -> Result<(), String> {
        if let Some(question) = Question::read(line)? {
            question.answer(self, &now_ns, to)?;
            to.push('\n');
            return Ok(());
        }
        let bytes = line;
        let line = EventLine::read(bytes)?;
        let now_ns = line.time_ns.unwrap_or_else(now_ns);
        let kind = match &line.kind {
            EventKind::Command(command) => return self.command(&line, command, now_ns, to),
            EventKind::Running(command) => {
                return self.running(&line, bytes, command, now_ns, to);
            }
            EventKind::Form(kind) => *kind,
        };
        self.forms.as_ref().map_err(String::clone)?.answer(&line, kind, self, now_ns, to)
    }

    /// Also updates the request rates in memory.
    pub fn decide<'e>(&mut self, event: &'e Event<'e>, now_ns: u64) -> Outcome<'e>
    where
        'p: 'e,
    {
        self.rates.note_time(now_ns);
        let Some(rules) = self.rules_of(event) else { return Outcome::default() };
        let standings = standings(rules, event);
        let results = RateFreeResults::new(rules, &standings, event);
        let Ok(outcome) = results.decide(&mut self.rates, now_ns);
        outcome
    }

    /// Completes the objections of an outcome that is shown.
    fn seek_fixes(&self, event: &Event<'_>, outcome: &mut Outcome<'_>) {
        let Some(rules) = self.rules_of(event) else { return };
        let standings = LazyCell::new(|| standings(rules, event));
        let allows = |args: &[u8]| allows(rules, &standings, event, args);
        outcome.judgements.iter_mut().for_each(|judgement| judgement.seek_fix(&allows));
    }

    /// The depots (None if unknown), and whether the server is case-sensitive.
    pub fn facts(&self) -> (Option<Depots<'p>>, bool) {
        (self.policy.depots(), self.policy.case_sensitive())
    }

    fn rules_of(&self, event: &Event<'_>) -> Option<&'p Rules<'p>> {
        let of_moment =
            if event.running.is_some() { &self.policy.running } else { &self.policy.rules };
        of_moment.get(event.name.main_name)
    }

    /// For a command that is sent, by its main name.
    pub fn rules(&self, command: &[u8]) -> Option<&'p Rules<'p>> {
        self.policy.rules.get(command)
    }
}

/// None if it belongs to another `server.id` or case setting. Without a case setting the index's own
/// is used.
fn index_of(index: &Index, server_id: Option<&str>, case_sensitive: Option<bool>) -> Option<Index> {
    if !index.is_of(server_id) {
        return None;
    }
    match case_sensitive {
        Some(case_sensitive) => index.for_server(!case_sensitive),
        None => Some(index.clone()),
    }
}
