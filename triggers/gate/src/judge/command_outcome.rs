//! The outcome of judging a command event by all rules of the policy.

use crate::contract::finding::Finding;
use crate::contract::rule_result::{Allows, BetterFix, Objection};
use crate::event::command_event::Event;
use crate::policy::exemptions::Exemption;
use crate::policy::selector::Selector;
use crate::rate::queue::Arrival;
use crate::rate::waiting_slots::SlotShortage;
use std::borrow::Cow;

/// The verdicts that rules can give on an event, mildest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[must_use]
pub enum Verdict {
    #[default]
    Allow,
    /// It is allowed, although a rule that is not enforced for its user objects to it.
    Observe,
    /// It is allowed, because a fact that a rule needs is unknown.
    Unknown,
    Delay,
    Refuse,
}

impl Verdict {
    pub const ALL: [Verdict; 5] =
        [Verdict::Allow, Verdict::Observe, Verdict::Unknown, Verdict::Delay, Verdict::Refuse];

    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| *verdict as u8 == number)
    }

    /// In the decision log and in the output of `judge`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Observe => "observe",
            Verdict::Unknown => "unknown",
            Verdict::Delay => "delay",
            Verdict::Refuse => "refuse",
        }
    }
}

/// The judgement of one rule that objects to an event or cannot decide on it.
#[derive(Debug)]
pub struct Judgement<'p> {
    pub rule: &'p str,
    /// The site's own, one to three lines.
    pub advice: Option<&'p str>,
    /// Such as `limit_command_rate`.
    pub kind: &'static str,
    /// `Observe` if the rule objects but is not enforced for the event's user.
    pub verdict: Verdict,
    /// If the rule alone were enforced.
    pub enforced_verdict: Verdict,
    /// None if the rule cannot decide.
    pub objection: Option<Objection<'p>>,
    /// In place of the objection's own, until it is sought.
    pub better_fix: Option<BetterFix<'p>>,
    /// Of a command that the rule delays until others have ended.
    pub waits_as: Option<Arrival>,
    /// Why the rule cannot decide, as `judge` reports it.
    pub unknown: Option<&'static str>,
    /// Of the events that the rule is about.
    pub selector: Option<&'p Selector<'p>>,
}

impl Judgement<'_> {
    /// Until the rule would allow the event; None also if waiting does not help.
    pub fn wait_ns(&self) -> Option<u64> {
        self.objection.as_ref()?.wait_ns()
    }

    /// Completes the objection.
    pub fn seek_fix(&mut self, allows: Allows<'_>) {
        if let (Some(Objection::Told(finding)), Some(fix)) =
            (&mut self.objection, self.better_fix.take())
        {
            finding.fix = fix.seek(allows);
        }
    }

    /// Whether the rule allows another reading of the command.
    pub fn is_unusual(&self) -> bool {
        self.objection.as_ref().is_some_and(Objection::is_unusual)
    }

    /// Why an event that exceeds a rate limit is not delayed.
    pub fn add_shortage(&mut self, full: SlotShortage) {
        if let Some(Objection::Rate(over)) = &mut self.objection {
            over.slot_shortage = Some(full);
        }
    }

    /// The verdict of the rule if it were enforced; None unless it is `Observe`.
    pub fn observes(&self) -> Option<Verdict> {
        let enforced = match self.enforced_verdict {
            Verdict::Observe => Verdict::Allow,
            enforced => enforced,
        };
        (self.verdict == Verdict::Observe).then_some(enforced)
    }

    pub fn finding(&self, event: &Event<'_>) -> Option<Cow<'_, Finding>> {
        self.objection.as_ref().map(|objection| objection.finding(event))
    }
}

/// The result of judging a command event by all rules; by default of one that no rule covers.
#[derive(Debug, Default)]
pub struct Outcome<'p> {
    /// The worst of all rules, which decides.
    pub verdict: Verdict,
    /// Of the rules that object or cannot decide, in policy order.
    pub judgements: Vec<Judgement<'p>>,
    /// From the first rule, in policy order, from which the event is exempt.
    pub exemption: Option<&'p Exemption<'p>>,
    /// Of the records that p4d would read, with the names of the rules that estimate them, in policy
    /// order.
    pub estimates: Vec<(&'p str, u64)>,
}

impl<'p> Outcome<'p> {
    /// Completes the objection that decided the verdict.
    pub fn seek_fix(&mut self, allows: Allows<'_>) {
        let verdict = self.verdict;
        let decisive = self.judgements.iter_mut().find(|judgement| judgement.verdict == verdict);
        decisive.into_iter().for_each(|judgement| judgement.seek_fix(allows));
    }

    /// Of a command that is delayed until others have ended, as its rules count it.
    pub fn queues(&self) -> Vec<Arrival> {
        let delays = self.judgements.iter().filter(|judgement| judgement.verdict == Verdict::Delay);
        let delays = delays.filter(|_| self.verdict == Verdict::Delay);
        delays.filter_map(|judgement| judgement.waits_as).collect()
    }

    /// The nanoseconds for which rates delay the command; None if none does.
    pub fn delay_ns(&self) -> Option<u64> {
        let of_rates = self.judgements.iter().filter(|judgement| judgement.waits_as.is_none());
        let delays = of_rates.filter(|judgement| judgement.verdict == Verdict::Delay);
        delays.filter(|_| self.verdict == Verdict::Delay).filter_map(Judgement::wait_ns).max()
    }

    /// What became of a command that `queues` delayed, after `waited_ns`.
    pub fn end_wait(&mut self, waited_ns: u64, runs: bool) {
        let delays = self.judgements.iter_mut().filter(|judgement| judgement.waits_as.is_some());
        for judgement in delays.filter(|judgement| judgement.verdict == Verdict::Delay) {
            if let Some(Objection::Told(finding)) = &mut judgement.objection {
                finding.end_wait(waited_ns, runs);
            }
            if !runs {
                (judgement.verdict, judgement.enforced_verdict) =
                    (Verdict::Refuse, Verdict::Refuse);
                self.verdict = Verdict::Refuse;
            }
        }
    }

    /// The first in policy order that has the outcome's verdict; None if that is `Allow`.
    pub fn decisive(&self) -> Option<&Judgement<'p>> {
        self.judgements.iter().find(|judgement| judgement.verdict == self.verdict)
    }

    pub fn objects(&self) -> bool {
        !matches!(self.verdict, Verdict::Allow | Verdict::Unknown)
    }

    pub fn decisive_finding(&self, event: &Event<'_>) -> Option<Cow<'_, Finding>> {
        self.decisive()?.finding(event)
    }

    /// Until all rules that gave the outcome's verdict would allow the event; None if one never would.
    pub fn wait_ns(&self) -> Option<u64> {
        let decisive = self.judgements.iter().filter(|judgement| judgement.verdict == self.verdict);
        let mut waits = decisive.map(Judgement::wait_ns);
        waits.try_fold(None, |longest, wait_ns| Some(longest.max(Some(wait_ns?))))?
    }
}
