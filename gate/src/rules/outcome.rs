//! The outcome of judging an event.

use crate::event::command_event::Event;
use crate::event::finding::Finding;
use crate::policy::compiled::Exemption;
use crate::rate::waiting::Full;
use crate::rules::found::Objection;
use std::borrow::Cow;

/// Every verdict, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing was objected.
    Allow,
    /// It would have been stopped.
    Observe,
    /// A fact that is not known would have decided.
    Unknown,
    /// It waits, then goes on.
    Delay,
    /// It does not happen.
    Refuse,
}

impl Verdict {
    const ALL: [Verdict; 5] =
        [Verdict::Allow, Verdict::Observe, Verdict::Unknown, Verdict::Delay, Verdict::Refuse];

    /// The verdict that a word stands for.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// The verdict of a number, as `as` makes it.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| *verdict as u8 == number)
    }

    /// The verdict as logs and `judge` write it.
    #[must_use]
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

/// One rule's objection to an event.
#[derive(Debug)]
pub struct Judgement<'p> {
    /// The rule's name.
    pub rule: &'p str,
    /// Which rule it is.
    pub kind: &'static str,
    /// Its verdict: `Observe` where it objects and does not act.
    pub verdict: Verdict,
    /// Its verdict if it alone were switched on.
    pub would: Verdict,
    /// The objection; None where it is not known.
    pub objection: Option<Objection<'p>>,
}

impl Judgement<'_> {
    /// How long the event waits, or would wait, for this rule; None if waiting does not help.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        self.objection.as_ref()?.wait_ns()
    }

    /// Says why the event cannot wait.
    pub(super) fn tell_of(&mut self, full: Full) {
        if let Some(Objection::Rate(over)) = &mut self.objection {
            over.full = Some(full);
        }
    }

    /// The verdict that a rule that only observes would have given; None where the rule acts.
    #[must_use]
    pub fn observes(&self) -> Option<Verdict> {
        (self.verdict == Verdict::Observe).then_some(self.would)
    }

    /// The objection, in words.
    #[must_use]
    pub fn finding(&self, event: &Event<'_>) -> Option<Cow<'_, Finding>> {
        self.objection.as_ref().map(|objection| objection.finding(event))
    }
}

/// The answer to an event.
#[derive(Debug)]
pub struct Outcome<'p> {
    /// The worst of all judgements.
    pub verdict: Verdict,
    /// One for each rule that objects, in policy order.
    pub judgements: Vec<Judgement<'p>>,
    /// The first exemption, in policy order, that let the event pass a rule.
    pub exemption: Option<Exemption<'p>>,
    /// How many records a rule estimated that the event looks through.
    pub value: Option<u64>,
}

impl<'p> Outcome<'p> {
    /// The first rule in policy order that has the verdict; None when nothing was objected.
    #[must_use]
    pub fn decisive(&self) -> Option<&Judgement<'p>> {
        self.judgements.iter().find(|judgement| judgement.verdict == self.verdict)
    }

    /// Whether a rule objects to the event.
    #[must_use]
    pub fn objects(&self) -> bool {
        !matches!(self.verdict, Verdict::Allow | Verdict::Unknown)
    }

    /// The finding of the judgement that has the verdict.
    #[must_use]
    pub fn decisive_finding(&self, event: &Event<'_>) -> Option<Cow<'_, Finding>> {
        self.decisive()?.finding(event)
    }

    /// How long it has to wait before all the rules that have the verdict let it through; None
    /// where one of them never will.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        let decisive = self.judgements.iter().filter(|judgement| judgement.verdict == self.verdict);
        let mut waits = decisive.map(Judgement::wait_ns);
        waits.try_fold(None, |longest, wait_ns| Some(longest.max(Some(wait_ns?))))?
    }
}
