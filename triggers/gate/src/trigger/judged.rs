//! An event that is read, with the rules about it and the facts that they need, and the steps that a
//! command, a form and a submit take from there to the answer.

use crate::base::fault::Fault;
use crate::trigger::answer::Answer;
use crate::trigger::trigger_event::TriggerEvent;

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

/// Takes these steps in order.
pub fn conclude<C>(trigger: &TriggerEvent<'_, C>, event: &mut dyn Judged) -> Result<Answer, Fault> {
    event.decide()?; // rules/, judge/command_decision.rs, judge/form_decision.rs, home/state/
    // home/state/, home/decision_log.rs, home/form_record.rs, and:
    match event.refusal() {
        Some(text) => {
            trigger.last_word.refuse(text); // last_word.rs
            event.refuse(); // proposals/, judge/accepted_lines.rs
        }
        None => event.let_pass()?, // form_file.rs, home/admitted.rs, home/saved_forms.rs
    }
    event.wait()?; // rate/waiting_slots.rs, rate/queue.rs
    let refusal = event.refusal(); // judge/command_refusal.rs, judge/form_refusal.rs
    Ok(refusal.map_or(Answer::GoOn, Answer::Refuse)) // answer.rs
}
