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
    /// Verdict: no rule objects to the event, so it is allowed.
    #[default]
    Allow,
    /// Verdict: the event is allowed, although a rule that is not enforced for its user objects to
    /// it.
    Observe,
    /// Verdict: the event is allowed, because a fact that a rule needs is unknown.
    Unknown,
    /// Verdict: the event is delayed and then allowed.
    Delay,
    /// Verdict: the event is refused.
    Refuse,
}

impl Verdict {
    pub const ALL: [Verdict; 5] =
        [Verdict::Allow, Verdict::Observe, Verdict::Unknown, Verdict::Delay, Verdict::Refuse];

    /// The verdict for a number, such as 4 for `Refuse`; None for a number of no verdict.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| *verdict as u8 == number)
    }

    /// The word for the verdict in the decision log and in the output of `judge`, such as `refuse`.
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
    /// The name that the policy gives to the rule.
    pub rule: &'p str,
    /// The site's own advice text, one to three lines, shown in the refusals of the rule; None if
    /// the policy gives none.
    pub advice: Option<&'p str>,
    /// The kind of the rule, such as `limit_command_rate`.
    pub kind: &'static str,
    /// The rule's verdict on the event; `Observe` if the rule objects but is not enforced for the
    /// event's user.
    pub verdict: Verdict,
    /// The verdict that the rule would give on the event if it alone were enforced.
    pub enforced_verdict: Verdict,
    /// The text or data of the rule's objection to the event; None if the rule cannot decide
    /// because a fact is unknown.
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
    /// Nanoseconds until the rule would allow the event; None if waiting does not help or the rule
    /// has no objection.
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

    /// Records in an objection about an exceeded rate limit why no waiting slot is free, so that
    /// the event is not delayed.
    pub fn add_shortage(&mut self, full: SlotShortage) {
        if let Some(Objection::Rate(over)) = &mut self.objection {
            over.slot_shortage = Some(full);
        }
    }

    /// The verdict that the rule would have given on the event if it were enforced; None unless its
    /// verdict is `Observe`.
    pub fn observes(&self) -> Option<Verdict> {
        let enforced = match self.enforced_verdict {
            Verdict::Observe => Verdict::Allow,
            enforced => enforced,
        };
        (self.verdict == Verdict::Observe).then_some(enforced)
    }

    /// The rule's objection as a finding with texts for the decision log and the refusal; None if
    /// there is no objection.
    pub fn finding(&self, event: &Event<'_>) -> Option<Cow<'_, Finding>> {
        self.objection.as_ref().map(|objection| objection.finding(event))
    }
}

/// The result of judging a command event by all rules; by default of one that no rule covers.
#[derive(Debug, Default)]
pub struct Outcome<'p> {
    /// The worst verdict of all rules on the event, which decides; an objection of a rule that is
    /// not enforced for the event's user counts as `Observe`.
    pub verdict: Verdict,
    /// The judgements of the rules that object to the event or cannot decide, in policy order.
    pub judgements: Vec<Judgement<'p>>,
    /// The exemption that excuses the event from the first rule, in the policy's order of rules,
    /// from which it is exempt; None if it is exempt from no rule.
    pub exemption: Option<&'p Exemption<'p>>,
    /// Number of records that p4d would read for the event, by each rule that estimates it, with the
    /// rule's name, in policy order.
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

    /// The first judgement, in policy order, that has the outcome's verdict; None if the verdict is
    /// `Allow`.
    pub fn decisive(&self) -> Option<&Judgement<'p>> {
        self.judgements.iter().find(|judgement| judgement.verdict == self.verdict)
    }

    /// Whether the outcome's verdict is an objection: `Observe`, `Delay` or `Refuse`.
    pub fn objects(&self) -> bool {
        !matches!(self.verdict, Verdict::Allow | Verdict::Unknown)
    }

    /// The finding of the rule that decided the verdict on the event; None if the verdict is
    /// `Allow` or `Unknown`.
    pub fn decisive_finding(&self, event: &Event<'_>) -> Option<Cow<'_, Finding>> {
        self.decisive()?.finding(event)
    }

    /// Nanoseconds until all rules that gave the outcome's verdict would allow the event; None if
    /// one of them never would, or if the verdict is `Allow` or `Unknown`.
    pub fn wait_ns(&self) -> Option<u64> {
        let decisive = self.judgements.iter().filter(|judgement| judgement.verdict == self.verdict);
        let mut waits = decisive.map(Judgement::wait_ns);
        waits.try_fold(None, |longest, wait_ns| Some(longest.max(Some(wait_ns?))))?
    }
}
