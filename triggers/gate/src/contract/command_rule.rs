//! A kind of rule about commands; the settings of each kind implement it.

use crate::contract::draft::{Draft, Server};
use crate::contract::rule_result::RuleResult;
use crate::event::command_event::Event;
use crate::policy::concurrency::Concurrency;
use crate::policy::rates::Rates;
use std::fmt::Debug;

/// From the JSON of a rule, or why it cannot be read.
pub type ReadRule<'a> = Result<Box<dyn CommandRule + 'a>, String>;

pub trait CommandRule: Debug {
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e>;

    /// By which the event is judged, instead of by `find`.
    fn rates(&self) -> Option<&Rates> {
        None
    }

    /// Of commands that run at once, by which the event is judged, instead of by `find`.
    fn concurrency(&self) -> Option<&Concurrency> {
        None
    }

    /// Of commands that run already, which triggers do not judge.
    fn is_about_running(&self) -> bool {
        false
    }

    fn needs_the_depots(&self) -> bool {
        false
    }

    /// The options of a trigger line that the rule needs with a value, of those that not every
    /// policy needs. `commands` are those that the rule names.
    fn needed_options(&self, commands: &[&[u8]]) -> Vec<&'static str>;

    /// Events that the rule should stop, the simplest first, for the tightest of its settings.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft>;

    /// Why the rule may stop none of its drafts; follows a colon.
    fn without_witness(&self, commands: &[&str]) -> String;
}
