//! The result of one rule for one command event.
//!
//! Modes and exemptions are no part of the result; `RateFreeResults` applies them.

use crate::contract::exceeded_limit::ExceededLimit;
use crate::contract::finding::{Finding, Fix};
use crate::contract::keys::{Key, Keys};
use crate::event::command_event::Event;
use crate::rate::queue::Arrival;
use crate::rate::waiting_slots::WaitingSlot;
use std::borrow::Cow;
use std::fmt;

pub use crate::event::coverage::ARGS_LEFT_OUT;

#[derive(Debug, Default)]
pub struct RuleResult<'e> {
    pub objection: Option<Objection<'e>>,
    /// In place of the objection's own; None if that is complete.
    pub better_fix: Option<BetterFix<'e>>,
    /// Of a command that must wait until others have ended.
    pub waits_as: Option<Arrival>,
    /// Why the rule cannot decide, as `judge` reports it.
    pub unknown: Option<&'static str>,
    /// Of the records that p4d would read; None also if the rule makes none.
    pub estimate: Option<u64>,
    /// All that the rule estimated, so that a budget need not do it again; None if it is above a limit.
    pub rows: Option<Rows>,
}

#[derive(Debug)]
pub enum Objection<'e> {
    /// Its text is made only on demand, because most such objections are only counted.
    Rate(ExceededLimit<'e>),
    Told(Box<Finding>),
}

impl Objection<'_> {
    /// Until the rule would no longer object; None if waiting does not help.
    pub fn wait_ns(&self) -> Option<u64> {
        match self {
            Objection::Rate(over) => Some(over.wait_ns),
            Objection::Told(finding) => finding.wait_ns,
        }
    }

    /// Whether the rule allows another reading of the command.
    pub fn is_unusual(&self) -> bool {
        matches!(self, Objection::Told(finding) if finding.is_unusual)
    }

    pub fn finding(&self, event: &Event<'_>) -> Cow<'_, Finding> {
        match self {
            Objection::Rate(over) => Cow::Owned(over.finding(event)),
            Objection::Told(finding) => Cow::Borrowed(finding),
        }
    }
}

impl<'e> RuleResult<'e> {
    pub fn unknown(why: &'static str) -> Self {
        RuleResult { unknown: Some(why), ..RuleResult::default() }
    }

    /// The same about one of several readings of the command, of which the rule allows another.
    pub fn of_one_reading(self) -> Self {
        let objection = self.objection.map(|objection| match objection {
            Objection::Told(finding) => Objection::Told(Box::new(finding.of_one_reading())),
            rate @ Objection::Rate(_) => rate,
        });
        RuleResult { objection, better_fix: None, ..self }
    }

    pub fn with(self, better_fix: impl FnOnce(Allows<'_>) -> Fix + 'e) -> Self {
        RuleResult { better_fix: Some(BetterFix(Box::new(better_fix))), ..self }
    }
}

impl From<Finding> for RuleResult<'_> {
    fn from(finding: Finding) -> Self {
        RuleResult { objection: Some(Objection::Told(Box::new(finding))), ..RuleResult::default() }
    }
}

/// What to send instead, sought once the verdict is certain, and only if someone will read it.
pub struct BetterFix<'e>(Box<dyn FnOnce(Allows<'_>) -> Fix + 'e>);

/// Whether all rules of the policy allow the event's command with other arguments.
pub type Allows<'a> = &'a dyn Fn(&[u8]) -> bool;

impl BetterFix<'_> {
    pub fn seek(self, allows: Allows<'_>) -> Fix {
        (self.0)(allows)
    }
}

impl fmt::Debug for BetterFix<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("BetterFix").finish_non_exhaustive()
    }
}

/// Shared by the rules that remember earlier commands, while they judge one event.
pub struct Attempt<'e> {
    pub keys: Keys<'e>,
    /// To be stored unless the event is refused.
    pub places: Vec<Place>,
    /// On the boot clock in a trigger, since the Unix epoch in `judge`.
    pub now_ns: u64,
    /// The records that the event's command reads; nothing is known of them unless a rule needs it.
    pub rows: Rows,
}

/// How an event would count for later ones.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// The time, in nanoseconds, until which the requests of the key count against its limit.
    Rate(Key, u64),
    /// Among the commands that run at once, or that wait for their end.
    Queue(Arrival, bool),
}

/// The estimated number of records that a command reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The most records that it may read where the index can count them.
    pub known: u64,
    /// Whether no other record is read.
    pub is_whole: bool,
    /// Why it is not, as `judge` reports it.
    pub unknown: Option<&'static str>,
}

impl Rows {
    /// Records that are not counted, if there is a reason.
    pub fn leave_out(&mut self, why: Option<&'static str>) {
        self.is_whole &= why.is_none();
        self.unknown = self.unknown.or(why);
    }
}

impl Attempt<'_> {
    pub fn waiting_slot(&mut self, wait_ns: u64) -> WaitingSlot {
        WaitingSlot { until_ns: self.now_ns.saturating_add(wait_ns), user: self.keys.of_user() }
    }
}
