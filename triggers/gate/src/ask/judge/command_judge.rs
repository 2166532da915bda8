//! Judges the commands of `p4warden-gate judge`.

use super::answer::add_answer;
use super::command_line::{command_event, joined};
use super::event_line::EventLine;
use super::listed_rules::Part;
use super::{Judge, index_of};
use crate::base::clock;
use crate::base::json::{Object, object_text};
use crate::event::arguments::command_name;
use crate::event::command_event::Event;
use crate::event::lazy_index::LazyIndex;
use crate::event::selector::Match;
use crate::event::split_line::SplitLine;
use crate::facts::document::FactsDocument;
use crate::judge::command_decision::standings;
use crate::judge::command_outcome::{Judgement, Outcome, Verdict};
use crate::judge::command_policy::Rule;
use crate::judge::command_refusal;
use crate::judge::standing::Standing;
use p4warden_index::file::index::Index;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Judge<'_> {
    /// Writes the verdict on a command; the error describes an invalid line.
    pub(super) fn command(
        &mut self,
        line: &EventLine<'_>,
        command: &[u8],
        now_ns: u64,
        to: &mut String,
    ) -> Result<(), String> {
        let (own, args, zone) =
            (line.server_facts()?, line.args.as_deref().map(joined), Rc::clone(&self.zone));
        let today = OnceCell::new();
        let new_day = || clock::day(now_ns, tz::TimeZone::as_ref(&zone));
        let day = || today.get_or_init(new_day).clone();
        let index = LazyIndex::of(self.index_for(&own));
        let (command, facts) = (command_name(command), &self.policy.facts);
        let event = command_event(
            line,
            command,
            args.as_deref(),
            (clock::epoch_s(now_ns), &day),
            &own,
            facts,
        );
        let times_of = |date: &[u8]| clock::times_of(date, tz::TimeZone::as_ref(&zone));
        let event = Event { index: Some(&index), times_of: &times_of, ..event };
        let split = SplitLine::of(&event);
        let event = split.event(event);
        for _ in 1..line.repeat {
            self.decide(&event, now_ns);
        }
        let mut outcome = self.decide(&event, now_ns);
        self.seek_fixes(&event, &mut outcome);
        let mut object = Object::new(to);
        self.add_answer(&mut object, line.id, &event, &outcome);
        self.add_parts(&mut object, line.id, &event, outcome);
        object.finish();
        to.push('\n');
        Ok(())
    }

    pub(super) fn add_parts(
        &self,
        to: &mut Object<'_>,
        id: Option<&str>,
        event: &Event<'_>,
        outcome: Outcome<'_>,
    ) {
        if let Some(listed) = &self.listed {
            let parts = self.parts(id, event, outcome);
            listed.write(to, &event.sender(), event.is_trial, &parts);
        }
    }

    /// None for the index of another server.
    fn index_for(&self, own: &FactsDocument<'_>) -> Option<Rc<Index>> {
        let server_id = own.server_id.as_deref().or(self.policy.facts.server_id.as_deref());
        let case_sensitive = own.case_sensitive.or(self.policy.facts.case_sensitive);
        index_of(self.index.as_ref()?, server_id, case_sensitive).map(Rc::new)
    }

    pub(super) fn add_answer(
        &self,
        to: &mut Object<'_>,
        id: Option<&str>,
        event: &Event<'_>,
        outcome: &Outcome<'_>,
    ) {
        let text = || command_refusal::text(&self.policy.policy, event, outcome);
        let text = self.parts.has_texts.then(text);
        let is_of_another = self.index.is_some() && event.checkpoint_index().is_none();
        add_answer(to, id, event, outcome, text.as_ref().map(Option::as_deref), is_of_another);
    }

    fn parts(
        &self,
        id: Option<&str>,
        event: &Event<'_>,
        outcome: Outcome<'_>,
    ) -> BTreeMap<String, Part> {
        let Some(rules) = self.rules_of(event) else { return BTreeMap::new() };
        let Outcome { judgements, estimates, .. } = outcome;
        let mut judgements: BTreeMap<&str, _> =
            judgements.into_iter().map(|judgement| (judgement.rule, judgement)).collect();
        let estimates: BTreeMap<&str, u64> = estimates.into_iter().collect();
        let judging = rules.rules.iter().zip(standings(rules, event));
        let judging = judging.filter(|(_, standing)| standing.about != Match::No);
        let part_of = |name: &str, standing: Standing<'_>, judgement: Option<_>| {
            let estimate = estimates.get_key_value(name).map(|(name, value)| (*name, *value));
            let verdict =
                judgement.as_ref().map_or(Verdict::Allow, |one: &Judgement<'_>| one.verdict);
            let alone = Outcome {
                verdict,
                judgements: judgement.into_iter().collect(),
                exemption: standing.exemption,
                estimates: estimate.into_iter().collect(),
            };
            let answer = self
                .parts
                .has_texts
                .then(|| object_text(|object| self.add_answer(object, id, event, &alone)));
            Part { verdict, value: estimate.map(|(_, value)| value), answer }
        };
        let part = |(rule, standing): (&Rule<'_>, _)| {
            let judgement = judgements.remove(&*rule.name);
            (rule.name.to_string(), part_of(&rule.name, standing, judgement))
        };
        judging.map(part).collect()
    }
}
