//! The way of every trigger event from the words of its line to the answer.

use crate::base::clock::{Clock, SystemClock};
use crate::base::fault::Fault;
use crate::base::heap::Heap;
use crate::event::arguments::{Arguments, command_name};
use crate::event::command_event::is_rescue;
use crate::event::form_event::FormEventKind;
use crate::event::trigger_dictionary;
use crate::trigger::answer::Answer;
use crate::trigger::command;
use crate::trigger::form;
use crate::trigger::last_word::LastWord;
use crate::trigger::old_lines;
use crate::trigger::on_error::FailureHandling;
use crate::trigger::standard_input::{self, StandardInput};
use crate::trigger::trigger_event::TriggerEvent;
use std::ffi::OsString;

const UNKNOWN_EVENT: &str = "the trigger line is for an event that this release does not support";
const OTHER_FORM: &str = "the trigger line was not written by this release of p4warden; run p4warden \
    deploy plan and deploy apply, or install the release that wrote it";

/// Answers p4d; `words` are the event's name and the trigger line's options. Returns the code with
/// which the process must end; None if the words are no event and name no answer to a failure.
#[must_use]
pub fn run(words: &[OsString], heap: &'static Heap) -> Option<u8> {
    let arguments = Arguments::parse(words);
    if Kind::of(&arguments).is_none() && arguments.get("on-error").is_none() {
        return None;
    }
    let handling = FailureHandling::of_line(&arguments);
    // The line may have been written for the other setting of `triggers.io`.
    let triggers_io = standard_input::has_dictionary(&SystemClock);
    let triggers_io = triggers_io.unwrap_or_else(|| arguments.triggers_io());
    let last_word = LastWord::install(&arguments, &handling, triggers_io, heap);
    let (clock, began_ns) = (SystemClock, SystemClock.since_boot_ns());
    let mut trigger = TriggerEvent { arguments, handling, last_word, clock, began_ns };
    let judged = judge(&mut trigger);
    trigger.last_word.stop();
    let TriggerEvent { arguments, handling, .. } = &trigger;
    let answer = judged.unwrap_or_else(|fault| handling.fail(arguments, &fault, &SystemClock));
    old_lines::note(&handling.home, arguments, &SystemClock);
    if triggers_io {
        standard_input::drain(&SystemClock);
    }
    Some(answer.deliver(triggers_io))
}

enum Kind<'a> {
    /// With its name, unless the line has none.
    Command(Option<&'a [u8]>),
    Form(FormEventKind),
}

impl<'a> Kind<'a> {
    fn of(arguments: &Arguments<'a>) -> Option<Self> {
        match arguments.event {
            b"command" => Some(Kind::Command(arguments.get("command").map(command_name))),
            event => FormEventKind::of_word(event).map(Kind::Form),
        }
    }
}

fn judge<C: Clock>(trigger: &mut TriggerEvent<'_, C>) -> Result<Answer, Fault> {
    let kind = Kind::of(&trigger.arguments).filter(|_| trigger.arguments.has_known_form);
    let is_rescue = matches!(kind, Some(Kind::Command(Some(command))) if is_rescue(command));
    if is_rescue || trigger.home().is_off(&trigger.clock) {
        return Ok(Answer::GoOn);
    }
    match kind {
        None if Kind::of(&trigger.arguments).is_none() => Err(Fault::new(UNKNOWN_EVENT)),
        None => Err(Fault::new(OTHER_FORM)),
        Some(Kind::Form(kind)) => {
            dictionary(trigger);
            form::run(trigger, kind)
        }
        Some(Kind::Command(command)) => {
            let dictionary = dictionary(trigger);
            command::run(trigger, command, dictionary.as_ref())
        }
    }
}

/// The dictionary that a server with `triggers.io=1` writes, if the line is intact; a dictionary that
/// contradicts the line, or has an entry twice, breaks it.
fn dictionary<C: Clock>(trigger: &mut TriggerEvent<'_, C>) -> Option<StandardInput> {
    let TriggerEvent { arguments, clock, .. } = &trigger;
    if !arguments.triggers_io() || arguments.is_tampered {
        return None;
    }
    let input = standard_input::read(clock);
    let contradiction = trigger_dictionary::contradiction(arguments.words, &input.content);
    let forgery = || trigger_dictionary::forgery(&input.content);
    if let Some(broken_name) = contradiction.map(Some).or_else(forgery) {
        trigger.arguments = trigger.arguments.clone().as_tampered(broken_name);
    }
    Some(input)
}
