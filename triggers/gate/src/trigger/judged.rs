//! An event that is read, with the rules about it and the facts that they need: the steps that a
//! command, a form and a submit take after that. `run.rs` takes them in order.

use crate::base::fault::Fault;
use std::time::Duration;

pub trait Judged {
    /// By the findings of all rules, and for a command by its rates, which it then uses.
    fn decide(&mut self) -> Result<(), Fault>;

    /// The text of the refusal; None if the event is not refused.
    fn refusal(&self) -> Option<String>;

    /// Completes a refusal by what to write or send instead.
    fn advise(&mut self);

    /// What p4d or later events need of an event that goes on.
    fn let_pass(&mut self) -> Result<(), Fault>;

    /// Counts and logs the decision.
    fn record(&mut self);

    /// For which an event waits before it goes on.
    fn delay(&self) -> Duration;
}

/// How the verdict on an event becomes the answer to p4d.
pub type Conclude<'c, A> = &'c dyn Fn(&mut dyn Judged) -> Result<A, Fault>;
