//! `p4warden-gate judge`: reads events and questions as JSON lines and writes a JSON line
//! with the result of each.
//!
//! Uses the same decision functions as the triggers, but keeps the request rates in memory and
//! judges each event at its own time, if it states one.

mod answer;
mod form_answer;
mod form_facts;
mod form_judge;
mod form_line;
mod form_request;
mod judged_policy;
mod line;
mod question;
mod standing;
mod stream;
mod time;
mod witness;

pub use form_judge::FormJudge;
pub use form_request::write_fields;
pub use judged_policy::JudgedPolicy;
pub use stream::{MAX_LINE_BYTES, stream};

use crate::base::clock;
use crate::event::arguments::command_name;
use crate::event::command_event::Event;
use crate::event::lazy_index::LazyIndex;
use crate::event::split_line::SplitLine;
use crate::facts::depots::Depots;
use crate::policy::rules::Rules;
use crate::rules::decision::{RateFreeResults, exemption_numbers};
use crate::rules::outcome::Outcome;
use crate::rules::rates_in_memory::Memory;
use crate::rules::refusal;
use answer::answer;
use form_judge::Surroundings;
use form_line::FormLine;
use line::Line;
use p4warden_index::estimate::form::Names;
use p4warden_index::file::index::Index;
use question::Question;
use std::rc::Rc;

pub struct Judge<'p> {
    policy: &'p JudgedPolicy<'p>,
    rates: Memory,
    zone: Rc<tz::TimeZone>,
    has_texts: bool,
    index: Option<Rc<Index>>,
    /// Or why forms and submits cannot be judged.
    forms: Result<FormJudge<'p>, String>,
}

impl<'p> Judge<'p> {
    #[must_use]
    pub fn new(policy: &'p JudgedPolicy<'p>, zone: tz::TimeZone) -> Self {
        let forms = Err("only commands are judged".to_owned());
        let (rates, zone) = (Memory::new([0; 16]), Rc::new(zone));
        Judge { policy, rates, zone, has_texts: false, index: None, forms }
    }

    #[must_use]
    pub fn with_texts(self, has_texts: bool) -> Self {
        Judge { has_texts, ..self }
    }

    #[must_use]
    pub fn with_index(self, index: Option<Index>) -> Self {
        Judge { index: index.map(Rc::new), ..self }
    }

    #[must_use]
    pub fn with_forms(self, forms: Result<FormJudge<'p>, String>) -> Self {
        Judge { forms, ..self }
    }

    /// None also if it belongs to another `server.id` or case setting. If neither the event nor the
    /// facts in the policy state the case setting, the index's own is used.
    fn index_for(&self, line: &Line<'_>) -> Option<Rc<Index>> {
        let server_id = line.server_id().or(self.policy.facts.server_id.as_deref());
        if !self.index.as_ref()?.is_of(server_id) {
            return None;
        }
        let of_policy = || self.policy.depots().map(|_| self.policy.case_sensitive());
        match line.case_sensitive().or_else(of_policy) {
            None => self.index.clone(),
            Some(case_sensitive) => self.index.as_ref()?.for_server(!case_sensitive).map(Rc::new),
        }
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
        if let Some(line) = FormLine::read(line)? {
            let now_ns = line.time_ns.unwrap_or_else(now_ns);
            let (zone, index) = (&*self.zone, self.index.as_ref());
            let around = Surroundings { index, zone, now_ns, has_texts: self.has_texts };
            return self.forms.as_ref().map_err(String::clone)?.answer(&line, &around, to);
        }
        let line = Line::parse(line)?;
        let now_ns = line.time_ns.unwrap_or_else(now_ns);
        let zone = Rc::clone(&self.zone);
        let day = || clock::day(now_ns, tz::TimeZone::as_ref(&zone));
        let command = command_name(&line.command);
        let index = LazyIndex::of(self.index_for(&line));
        let (depots, case_sensitive) = self.facts();
        let unicode = self.policy.facts.unicode.unwrap_or(false);
        let event = line.event(command, &day, case_sensitive, unicode, depots);
        let names = Names { client: event.client, user: event.user };
        let used_directories = || {
            let directories = index.get().and_then(|one| one.used_directories(names, None).ok());
            directories.unwrap_or_default()
        };
        let times_of = |date: &[u8]| clock::times_of(date, tz::TimeZone::as_ref(&zone));
        let event = Event {
            index: Some(&index),
            used_directories: &used_directories,
            times_of: &times_of,
            ..event
        };
        let split = SplitLine::of(&event);
        let event = match &split {
            Some(split) => split.event(event),
            None => event,
        };
        let outcome = self.decide(&event, now_ns);
        let text = self.has_texts.then(|| refusal::text(&self.policy.policy, &event, &outcome));
        answer(to, line.id, &event, &outcome, text.as_ref().map(Option::as_deref));
        to.push('\n');
        Ok(())
    }

    /// Also updates the request rates in memory.
    pub fn decide(&mut self, event: &Event<'_>, now_ns: u64) -> Outcome<'p> {
        self.rates.note_time(now_ns);
        let Some(rules) = self.rules(event.name.main_name) else { return Outcome::none() };
        let exempt = exemption_numbers(rules, event);
        let results = RateFreeResults::new(rules, &exempt, event);
        let Ok(outcome) = results.decide(&mut self.rates, now_ns);
        outcome
    }

    /// The depots (None if unknown), and whether the server is case-sensitive.
    #[must_use]
    pub fn facts(&self) -> (Option<Depots<'p>>, bool) {
        (self.policy.depots(), self.policy.case_sensitive())
    }

    /// By its main name.
    #[must_use]
    pub fn rules(&self, command: &[u8]) -> Option<&'p Rules<'p>> {
        self.policy.rules.get(command)
    }
}
