//! The result of one rule for one event.
//!
//! Rules do not know modes, exemptions or logs; `decide` applies those.

use crate::event::command_event::Event;
use crate::event::finding::Finding;
use crate::rate::waiting::Place;
use crate::rules::exceeded_limit::Over;
use crate::rules::keys::{Key, Keys};
use std::borrow::Cow;

/// Result of one rule for one event, before the rule's mode is considered.
#[derive(Debug, Default)]
pub struct RuleResult<'p> {
    /// The rule's objection to the event; None if there is none.
    pub objection: Option<Objection<'p>>,
    /// Whether the rule might object if an unknown fact were known.
    pub unknown: bool,
    /// Estimated number of records that the event reads; None if unknown.
    pub estimate: Option<u64>,
}

/// A rule's objection to an event, with its text or the data for it.
#[derive(Debug)]
pub enum Objection<'p> {
    /// An exceeded rate limit. Its text is made only on demand, because most of these objections
    /// are only counted.
    Rate(Over<'p>),
    /// An objection of any rule but rate limits, with its text.
    Told(Box<Finding>),
}

impl Objection<'_> {
    /// Nanoseconds until the event would pass; None if waiting does not help.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        match self {
            Objection::Rate(over) => Some(over.wait_ns),
            Objection::Told(finding) => finding.wait_ns,
        }
    }

    /// The objection as a finding with texts for the log and the refusal.
    #[must_use]
    pub fn finding(&self, event: &Event<'_>) -> Cow<'_, Finding> {
        match self {
            Objection::Rate(over) => Cow::Owned(over.finding(event)),
            Objection::Told(finding) => Cow::Borrowed(finding),
        }
    }
}

impl From<Finding> for RuleResult<'_> {
    fn from(finding: Finding) -> Self {
        RuleResult {
            objection: Some(Objection::Told(Box::new(finding))),
            unknown: false,
            estimate: None,
        }
    }
}

/// State shared by the rate-limiting rules while they judge one event.
pub struct Attempt<'e> {
    /// The keys (hash numbers) under which the event's rates are stored.
    pub keys: Keys<'e>,
    /// Uses of rates to be stored if the event is allowed: the key and the new time.
    pub places: Vec<(Key, u64)>,
    /// Time of the event in nanoseconds on the boot clock.
    pub now_ns: u64,
}

impl Attempt<'_> {
    /// Creates a waiting slot for the event's user that ends `wait_ns` from now.
    pub fn place(&mut self, wait_ns: u64) -> Place {
        Place { until_ns: self.now_ns.saturating_add(wait_ns), user: self.keys.of_user() }
    }
}
