//! A rule's answer about one event.
//!
//! Rules know nothing of modes, exemptions or logs; `decide` does.

use crate::event::command_event::Event;
use crate::event::finding::Finding;
use crate::rate::waiting::Place;
use crate::rules::exceeded_limit::Over;
use crate::rules::keys::{Key, Keys};
use std::borrow::Cow;

/// Result of a rule for an event.
#[derive(Debug, Default)]
pub struct Found<'p> {
    /// The objection; None where there is none.
    pub objection: Option<Objection<'p>>,
    /// Whether the rule could object to a fact that is not known.
    pub unknown: bool,
    /// How many records the event was estimated to look through; None where nothing is known.
    pub estimate: Option<u64>,
}

/// An objection of a rule.
#[derive(Debug)]
pub enum Objection<'p> {
    /// A rate; its words are made when they are told, for most that go beyond one are only counted.
    Rate(Over<'p>),
    /// Anything else.
    Told(Box<Finding>),
}

impl Objection<'_> {
    /// In how many nanoseconds the event would pass; None if waiting does not help.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        match self {
            Objection::Rate(over) => Some(over.wait_ns),
            Objection::Told(finding) => finding.wait_ns,
        }
    }

    /// It in words.
    #[must_use]
    pub fn finding(&self, event: &Event<'_>) -> Cow<'_, Finding> {
        match self {
            Objection::Rate(over) => Cow::Owned(over.finding(event)),
            Objection::Told(finding) => Cow::Borrowed(finding),
        }
    }
}

impl From<Finding> for Found<'_> {
    fn from(finding: Finding) -> Self {
        Found {
            objection: Some(Objection::Told(Box::new(finding))),
            unknown: false,
            estimate: None,
        }
    }
}

/// State shared by the rules that keep rates while they try one event.
pub struct Attempt<'e> {
    /// Under which keys the event is kept.
    pub keys: Keys<'e>,
    /// The places that it takes in the rates if it goes on: a key, and until when.
    pub places: Vec<(Key, u64)>,
    /// When it is.
    pub now_ns: u64,
}

impl Attempt<'_> {
    /// A place in which the event waits.
    pub fn place(&mut self, wait_ns: u64) -> Place {
        Place { until_ns: self.now_ns.saturating_add(wait_ns), user: self.keys.of_user() }
    }
}
