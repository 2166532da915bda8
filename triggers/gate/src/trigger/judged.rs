//! An event that is read, with the rules about it and the facts that they need: the steps that a
//! command, a form and a submit take after that. `run.rs` takes them in order.

use crate::base::fault::Fault;
use crate::trigger::answer::Answer;

pub trait Judged {
    /// By the findings of all rules, and for a command by its rates, which it then uses. A command is
    /// counted here, under the lock of its rates.
    fn decide(&mut self) -> Result<(), Fault>;

    /// The text of the refusal; None if the event is not refused.
    fn refusal(&self) -> Option<String>;

    /// Records a refusal, and completes it by what to write or send instead.
    fn refuse(&mut self);

    /// Records an event that goes on, after what p4d or later events need of it.
    fn let_pass(&mut self) -> Result<(), Fault>;

    /// Until the event may go on; it may be refused instead.
    fn wait(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// How the verdict on an event becomes the answer to p4d.
pub type Conclude<'c> = &'c dyn Fn(&mut dyn Judged) -> Result<Answer, Fault>;
