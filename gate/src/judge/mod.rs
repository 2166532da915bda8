//! `p4warden-gate judge`: command events as JSON lines in, one verdict per line out.
//!
//! The same library that triggers run, with the events' own clock and the rates in memory.

mod answer;
mod facts;
mod line;
mod stream;
mod text;
mod time;

pub use facts::FactsDocument;
pub use stream::stream;

use crate::arguments::command_name;
use crate::bytes::Corrupt;
use crate::clock;
use crate::decide::{decide, exempt};
use crate::event::{Event, is_rescue};
use crate::flat::{Depots, Front, PREFIX_BYTES, Prefix, Rules};
use crate::memory::Memory;
use crate::outcome::Outcome;
use crate::refusal;
use answer::answer;
use line::Line;
use std::collections::HashMap;
use std::rc::Rc;

/// Judges a stream of events by one policy.
pub struct Judge<'p> {
    front: Front<'p>,
    depots: Option<Depots<'p>>,
    policy: &'p [u8],
    rules: HashMap<Vec<u8>, Rules<'p>>,
    rates: Memory,
    zone: Rc<tz::TimeZone>,
    texts: bool,
}

impl<'p> Judge<'p> {
    /// Starts with no rates, and a policy in the flat form.
    pub fn new(policy: &'p [u8], zone: tz::TimeZone) -> Result<Self, Corrupt> {
        let prefix = Prefix::read(policy)?;
        let front = Front::read(&prefix, policy.get(PREFIX_BYTES..).ok_or(Corrupt)?)?;
        let (rates, zone) = (Memory::new([0; 16]), Rc::new(zone));
        let depots = Depots::read(front.depots.within(policy)?);
        Ok(Judge { front, depots, policy, rules: HashMap::new(), rates, zone, texts: false })
    }

    /// Adds to each answer the text that the user would read.
    #[must_use]
    pub fn with_texts(self, texts: bool) -> Self {
        Judge { texts, ..self }
    }

    /// Judges the event of one line and adds the answer, another line, to a text; `now_ns` is the
    /// event's time if it has none of its own.
    pub fn line(
        &mut self,
        line: &[u8],
        now_ns: impl Fn() -> u64,
        to: &mut String,
    ) -> Result<(), String> {
        let line = Line::parse(line)?;
        let now_ns = line.time_ns.unwrap_or_else(now_ns);
        let zone = Rc::clone(&self.zone);
        let day = || clock::day(now_ns, tz::TimeZone::as_ref(&zone));
        let command = command_name(&line.command);
        let event = line.event(command, &day, self.front.case_sensitive, self.depots);
        let outcome = self.decide(&event, now_ns);
        let outcome = outcome.map_err(|Corrupt| "the policy is damaged".to_owned())?;
        let text = self.texts.then(|| refusal::text(&self.front, &event, &outcome));
        answer(to, line.id, &event, &outcome, text.as_ref().map(Option::as_deref));
        to.push('\n');
        Ok(())
    }

    /// Judges an event at a time.
    pub fn decide(&mut self, event: &Event<'_>, now_ns: u64) -> Result<Outcome<'p>, Corrupt> {
        self.learn(event.command)?;
        let none = Rules::default();
        let rules = self.rules.get(event.command).unwrap_or(&none);
        let Ok(outcome) = decide(rules, &exempt(rules, event), event, &mut self.rates, now_ns);
        Ok(outcome)
    }

    /// The server's depots, where the policy knows them, and whether it tells `A` from `a`.
    #[must_use]
    pub fn facts(&self) -> (Option<Depots<'p>>, bool) {
        (self.depots, self.front.case_sensitive)
    }

    /// The rules about a command; none for one that is never limited.
    pub fn rules(&mut self, command: &[u8]) -> Result<Option<&Rules<'p>>, Corrupt> {
        self.learn(command)?;
        Ok(self.rules.get(command))
    }

    fn learn(&mut self, command: &[u8]) -> Result<(), Corrupt> {
        if self.rules.contains_key(command) || is_rescue(command) {
            return Ok(());
        }
        if let Some(place) = self.front.command(command)? {
            let rules = place.rules.within(self.policy)?;
            let exemptions = place.exemptions.within(self.policy)?;
            self.rules.insert(command.to_vec(), Rules::read(rules, exemptions)?);
        }
        Ok(())
    }
}
