//! One policy, and what it would have done.

use super::groups::Groups;
use super::tally::{Tally, is_hit};
use crate::command::Command;
use p4warden_gate::clock::day;
use p4warden_gate::event::Event;
use p4warden_gate::exemptions::applies;
use p4warden_gate::judge::Judge;
use p4warden_gate::outcome::{Outcome, Verdict};
use std::collections::HashMap;
use std::rc::Rc;

/// A policy and its verdicts.
pub struct Side<'p> {
    judge: Judge<'p>,
    zone: Rc<tz::TimeZone>,
    /// By rule, in the order in which rules were met.
    pub tallies: Vec<(&'p str, Tally)>,
    by_rule: HashMap<&'p str, usize>,
    /// Commands that a rule is about.
    pub judged: u64,
}

/// What a policy says of a command: the verdict, the rule that has it, and all the rules that
/// would stop the command, by their tallies.
#[derive(Debug)]
pub struct Said<'p> {
    /// The worst verdict.
    pub verdict: Verdict,
    /// The first rule that has it.
    pub rule: Option<&'p str>,
    /// The rules that would stop it.
    pub stopped_by: Vec<usize>,
}

impl<'p> Side<'p> {
    /// Starts with no rates.
    #[must_use]
    pub fn new(judge: Judge<'p>, zone: tz::TimeZone) -> Self {
        let (zone, tallies, by_rule) = (Rc::new(zone), Vec::new(), HashMap::new());
        Side { judge, zone, tallies, by_rule, judged: 0 }
    }

    /// Judges a command that begins; None if no rule is about it.
    pub fn begun(
        &mut self,
        command: &Command,
        now_ns: u64,
        groups: Option<&Groups>,
    ) -> Option<Said<'p>> {
        let said = &command.said;
        let name = said.command()?.strip_prefix(b"user-")?;
        self.judge.rules(name).ok()??;
        let zone = Rc::clone(&self.zone);
        let day = || day(now_ns, tz::TimeZone::as_ref(&zone));
        let (depots, case_sensitive) = self.judge.facts();
        let user = said.user();
        let event = Event {
            command: name,
            user,
            groups: groups.zip(user).map_or(Vec::new(), |(groups, user)| groups.of(user)),
            client: said.client(),
            ip: said.ip(),
            prog: said.prog(),
            version: said.version(),
            args: said.args_are_whole().then(|| said.args()),
            depots,
            is_trial: false,
            pressure: None,
            day: &day,
            case_sensitive,
        };
        let outcome = self.judge.decide(&event, now_ns).ok()?;
        Some(self.note(&outcome, &event, command, now_ns, groups.is_none()))
    }

    fn note(
        &mut self,
        outcome: &Outcome<'p>,
        event: &Event<'_>,
        command: &Command,
        now_ns: u64,
        no_groups: bool,
    ) -> Said<'p> {
        self.judged += 1;
        let mut stopped_by = Vec::new();
        let Ok(Some(rules)) = self.judge.rules(event.command) else {
            return Said { verdict: outcome.verdict, rule: None, stopped_by };
        };
        for rule in &rules.rules {
            let judgement = outcome.judgements.iter().find(|judged| judged.rule == rule.name);
            let verdict = judgement.map_or(Verdict::Allow, |judgement| judgement.verdict);
            let index = *self.by_rule.entry(rule.name).or_insert_with(|| {
                self.tallies.push((rule.name, Tally::default()));
                self.tallies.len() - 1
            });
            let Some((_, tally)) = self.tallies.get_mut(index) else {
                continue;
            };
            tally.note(verdict, command, now_ns);
            if verdict == Verdict::Delay {
                tally.delayed_ns += outcome.wait_ns().unwrap_or(0);
            } else if is_hit(verdict) {
                stopped_by.push(index);
            }
            if no_groups && verdict > Verdict::Allow {
                let mut exemptions = rule.exemptions().filter_map(|n| rules.exemption(n));
                let hangs = exemptions.any(|exemption| {
                    // A pattern fits itself, so in all these groups the user would be exempt.
                    let groups = exemption.groups.into_iter().flat_map(|all| all.iter());
                    applies(&exemption, &Event { groups: groups.collect(), ..event.clone() })
                });
                tally.hang_on_groups += u64::from(hangs);
            }
        }
        let rule = outcome.decisive().map(|judgement| judgement.rule);
        Said { verdict: outcome.verdict, rule, stopped_by }
    }
}
