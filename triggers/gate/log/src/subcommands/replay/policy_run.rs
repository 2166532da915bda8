//! Simulation of one policy on the commands of a log.

use super::groups::Groups;
use super::tally::{Tally, is_hit};
use crate::record::command::Command;
use crate::record::request::Request;
use p4warden_gate::ask::judge::Judge;
use p4warden_gate::base::clock::{day, epoch_s, times_of};
use p4warden_gate::base::patterns::folded_name;
use p4warden_gate::event::class::{NO_CLASS, class_of};
use p4warden_gate::event::command_event::Event;
use p4warden_gate::event::exemptions::fits;
use p4warden_gate::event::known_offender::known_offender;
use p4warden_gate::event::lazy_index::LazyIndex;
use p4warden_gate::event::selector::{GROUPS_UNKNOWN, Match, Server, is_about};
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::facts::depots::Depots;
use p4warden_gate::judge::command_outcome::{Judgement, Outcome, Verdict};
use p4warden_gate::judge::command_policy::{Rule, Rules};
use p4warden_gate::paths::command_form::command_form;
use p4warden_gate::paths::command_synonyms::resolve_name;
use p4warden_gate::policy::selector::Classes;
use p4warden_gate::rate::queue::Ends;
use p4warden_index::file::index::Index;
use std::collections::BTreeMap;
use std::rc::Rc;

pub struct PolicyRun<'p> {
    judge: Judge<'p>,
    classes: Classes<'p>,
    zone: Rc<tz::TimeZone>,
    index: Option<Rc<Index>>,
    /// Of each rule that covers a command name in the log, in the order of the log.
    pub tallies: Vec<(&'p str, Tally)>,
    /// Indexes in `tallies`.
    rules_by_command: BTreeMap<Vec<u8>, Rc<[usize]>>,
    /// Commands whose name at least one rule covers, whatever their arguments.
    pub judged_count: u64,
}

#[derive(Debug)]
pub struct PolicyVerdict<'p> {
    /// The objection of a rule that is not enforced for the user counts as `Observe`.
    pub verdict: Verdict,
    /// The first in policy order with the most severe verdict; None if that is `Allow`.
    pub rule: Option<&'p str>,
    /// Of the deciding rule; None unless its verdict is `Observe`.
    pub enforced_verdict: Option<Verdict>,
    /// Indexes in `PolicyRun::tallies`; these rules refuse the command, or would if enforced.
    pub stopping_rules: Vec<usize>,
}

impl<'p> PolicyRun<'p> {
    pub fn new(judge: Judge<'p>, zone: tz::TimeZone) -> Self {
        let (zone, tallies, rules_by_command) = (Rc::new(zone), Vec::new(), BTreeMap::new());
        let classes = judge.classes();
        PolicyRun { judge, classes, zone, index: None, tallies, rules_by_command, judged_count: 0 }
    }

    /// With None no rows are estimated.
    pub fn with_index(self, index: Option<Rc<Index>>) -> Self {
        PolicyRun { index, ..self }
    }

    /// The depots (None if unknown), and whether the server is case-sensitive.
    pub fn facts(&self) -> (Option<Depots<'p>>, bool) {
        self.judge.facts()
    }

    /// Empty if no class of the policy matches, or no user sent the command.
    pub fn class(&self, command: &Command, origin: Origin<'_>) -> &str {
        let day = || day(origin.now_ns, tz::TimeZone::as_ref(&self.zone));
        let (depots, case_sensitive) = self.judge.facts();
        let Some(event) = event_of(&command.request, origin, depots, case_sensitive, &day) else {
            return "";
        };
        let split = SplitLine::of(&event);
        let event = split.event(event);
        class_of(&self.classes, &event.sender()).filter(|class| *class != NO_CLASS).unwrap_or("")
    }

    /// None if no rule covers the command's name, or no user sent the command.
    pub fn begin(&mut self, command: &Command, origin: Origin<'_>) -> Option<PolicyVerdict<'p>> {
        let now_ns = origin.now_ns;
        let request = &command.request;
        let name = request.command()?.strip_prefix(b"user-")?;
        let name = resolve_name(name).main_name;
        let rules = self.judge.rules(name).filter(|rules| !rules.rules.is_empty())?;
        let about = self.about(name, rules);
        let zone = Rc::clone(&self.zone);
        let day = || day(now_ns, tz::TimeZone::as_ref(&zone));
        let index = LazyIndex::of(self.index.clone());
        let (depots, case_sensitive) = self.judge.facts();
        let event = event_of(request, origin, depots, case_sensitive, &day)?;
        let times_of = |date: &[u8]| times_of(date, tz::TimeZone::as_ref(&zone));
        let event = Event { index: Some(&index), times_of: &times_of, ..event };
        let split = SplitLine::of(&event);
        let event = split.event(event);
        let outcome = self.judge.decide(&event, now_ns);
        self.judged_count += 1;
        let no_groups = origin.groups.is_none();
        Some(self.note(&outcome, &event, command, now_ns, (&about, rules), no_groups))
    }

    fn about(&mut self, name: &[u8], rules: &'p Rules<'p>) -> Rc<[usize]> {
        if let Some(about) = self.rules_by_command.get(name) {
            return Rc::clone(about);
        }
        let tallies = rules.rules.iter().map(|rule| tally(&mut self.tallies, &rule.name));
        let about: Rc<[usize]> = tallies.collect();
        self.rules_by_command.insert(name.to_vec(), Rc::clone(&about));
        about
    }

    fn note(
        &mut self,
        outcome: &Outcome<'_>,
        event: &Event<'_>,
        command: &Command,
        now_ns: u64,
        (about, rules): (&[usize], &Rules<'_>),
        no_groups: bool,
    ) -> PolicyVerdict<'p> {
        let mut stopping_rules = Vec::new();
        let user = folded_name(event.user.unwrap_or_default(), event.case_sensitive);
        for (index, rule) in about.iter().zip(&rules.rules) {
            let Some((_, tally)) = self.tallies.get_mut(*index) else { continue };
            let judgement = outcome.judgements.iter().find(|judgement| judgement.rule == rule.name);
            if judgement.is_none() && !may_cover(rule, event) {
                continue;
            }
            let verdict = judgement.map_or(Verdict::Allow, |judgement| judgement.verdict);
            tally.note(verdict, &user, command, now_ns);
            if verdict == Verdict::Unknown {
                let form = command_form(event.name.main_name, event.args.unwrap_or_default());
                tally.unknown_forms.note(Some(form.as_bytes()));
            }
            if is_hit(verdict) {
                if let Some(class) = class_of(&self.classes, &event.sender()) {
                    tally.classes.note(Some(class.as_bytes()));
                }
                if let Some(known) = known_offender(event) {
                    tally.offenders.note(Some(known.key.as_bytes()));
                }
            }
            if let Some(judgement) = judgement {
                tally.effect_if_enforced.note(judgement);
            }
            // A refused command does not wait.
            if verdict == Verdict::Delay && outcome.verdict == Verdict::Delay {
                let wait_ns = outcome.wait_ns().unwrap_or(0);
                tally.delayed_ns = tally.delayed_ns.saturating_add(wait_ns);
            }
            if judgement.is_some_and(|judgement| judgement.enforced_verdict == Verdict::Refuse) {
                stopping_rules.push(*index);
            }
            if no_groups && verdict > Verdict::Allow {
                tally.hang_on_groups += u64::from(depends_on_a_group(rules, &rule.name, event));
            }
        }
        let decisive = outcome.decisive();
        let name_of = |one: &Judgement<'_>| {
            self.tallies.iter().map(|(name, _)| *name).find(|name| *name == one.rule)
        };
        let (rule, enforced_verdict) =
            (decisive.and_then(name_of), decisive.and_then(Judgement::observes));
        PolicyVerdict { verdict: outcome.verdict, rule, enforced_verdict, stopping_rules }
    }
}

#[derive(Clone, Copy, Default)]
pub struct Origin<'e> {
    pub groups: Option<&'e Groups>,
    /// That wrote the log.
    pub server: Server<'e>,
    pub now_ns: u64,
    pub ends: Ends,
}

/// None if no user sent the command.
pub fn event_of<'e>(
    request: &'e Request,
    from: Origin<'e>,
    depots: Option<Depots<'e>>,
    case_sensitive: bool,
    day: &'e dyn Fn() -> String,
) -> Option<Event<'e>> {
    let (command, user) = (request.command()?.strip_prefix(b"user-")?, request.user());
    let groups = from.groups;
    Some(Event {
        user,
        groups: groups.zip(user).map(|(groups, user)| groups.of(user)),
        client: request.client(),
        ip: request.ip(),
        server: from.server,
        time_s: epoch_s(from.now_ns),
        prog: request.prog(),
        version: request.version(),
        args: request.args_are_whole().then(|| request.args()),
        depots,
        ends: from.ends,
        case_sensitive,
        ..Event::unknown(command, day)
    })
}

/// True as well if that depends on arguments that the log does not state.
fn may_cover(rule: &Rule<'_>, event: &Event<'_>) -> bool {
    let about = is_about(rule.selector.as_ref(), event.is_trial, &event.sender());
    rule.covers(about, event) != Match::No
}

fn tally<'p>(tallies: &mut Vec<(&'p str, Tally)>, rule: &'p str) -> usize {
    let index = tallies.iter().position(|(name, _)| *name == rule);
    index.unwrap_or_else(|| {
        tallies.push((rule, Tally::default()));
        tallies.len() - 1
    })
}

/// Whether an exemption might apply if the groups of the user were known.
fn depends_on_a_group(rules: &Rules<'_>, name: &str, event: &Event<'_>) -> bool {
    let sender = event.sender();
    let mut exemptions = rules.exemptions.iter().filter(|exemption| exemption.concerns(name));
    exemptions.any(|exemption| fits(exemption, &sender) == Match::Unknown(GROUPS_UNKNOWN))
}
