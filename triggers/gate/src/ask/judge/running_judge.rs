//! Judges the running commands of `p4warden-gate judge`.

use super::Judge;
use super::command_line::{command_event, joined};
use super::event_line::EventLine;
use super::running_line::ProcessDocument;
use crate::base::clock;
use crate::base::json::Object;
use crate::event::arguments::command_name;
use crate::event::command_event::Event;
use crate::home::decision_log::{self, LoggedPolicy};
use crate::judge::command_decision::{RateFreeResults, standings};
use crate::judge::command_outcome::Outcome;

impl Judge<'_> {
    /// Writes the verdict on a command that runs already, with `record`, its line for the decision
    /// log, or null; the error describes an invalid line, of which `bytes` are the text.
    pub(super) fn running(
        &self,
        line: &EventLine<'_>,
        bytes: &[u8],
        command: &[u8],
        now_ns: u64,
        to: &mut String,
    ) -> Result<(), String> {
        let (own, args) = (line.server_facts()?, line.args.as_deref().map(joined));
        let (document, reading) = ProcessDocument::read(bytes)?;
        let process = document.process(&reading)?;
        let day = || clock::day(now_ns, tz::TimeZone::as_ref(&self.zone));
        let (command, facts) = (command_name(command), &self.policy.facts);
        let time = (clock::epoch_s(now_ns), &day as &dyn Fn() -> String);
        let event = command_event(line, command, args.as_deref(), time, &own, facts);
        let event = Event { running: Some(&process), ..event };
        let mut outcome = self.rules_of(&event).map_or_else(Outcome::default, |rules| {
            let standings = standings(rules, &event);
            RateFreeResults::new(rules, &standings, &event).decide_without_rates()
        });
        self.seek_fixes(&event, &mut outcome);
        let policy = &self.policy.policy;
        let classes = policy.classes();
        let logged = LoggedPolicy::of(policy, &classes, &event.sender());
        let record = outcome.objects().then(|| {
            decision_log::decision(&event, &outcome, logged, 1, None, now_ns).trim_end().to_owned()
        });
        let mut object = Object::new(to);
        self.add_answer(&mut object, line.id, &event, &outcome);
        object.maybe("record", record.as_deref());
        self.add_parts(&mut object, line.id, &event, outcome);
        object.finish();
        to.push('\n');
        Ok(())
    }
}
