//! The way of every trigger event from the words of its line to the answer.

use crate::base::clock::{Clock, SystemClock};
use crate::base::fault::Fault;
use crate::event::arguments::{Arguments, command_name};
use crate::event::command_event::is_rescue;
use crate::event::form_event::FormEventKind;
use crate::event::trigger_dictionary;
use crate::event::trigger_options::COMMAND_END;
use crate::home::policy_file::PolicyFile;
use crate::trigger::answer::Answer;
use crate::trigger::command;
use crate::trigger::form;
use crate::trigger::last_word::{LONGEST, LastWord};
use crate::trigger::old_lines;
use crate::trigger::on_error::FailureHandling;
use crate::trigger::queue;
use crate::trigger::standard_input::{self, StandardInput};
use crate::trigger::trigger_event::TriggerEvent;
use std::ffi::OsString;

const UNKNOWN_EVENT: &str = "the trigger line is for an event that this release does not support";
const OTHER_FORM: &str = "the trigger line was not written by this release of p4warden; run p4warden \
    deploy plan and deploy apply, or install the release that wrote it";
const NO_COMMAND: &str = "the trigger line has no --command";

/// Answers p4d; `words` are the event's name and the trigger line's options. Returns the code with
/// which the process must end; None if the words are no event and name no answer to a failure.
pub fn run(words: &[OsString]) -> Option<u8> {
    let arguments = Arguments::parse(words);
    if matches!(Kind::of(&arguments), Err(UNKNOWN_EVENT)) && arguments.get("on-error").is_none() {
        return None;
    }
    let handling = FailureHandling::of_line(&arguments);
    let (clock, began_ns) = (SystemClock, SystemClock.since_boot_ns());
    // The line may have been written for the other setting of `triggers.io`.
    let expected = arguments.triggers_io();
    let triggers_io = standard_input::has_dictionary(expected, began_ns, &clock);
    let triggers_io = triggers_io.unwrap_or(expected);
    let last_word = LastWord::install(&arguments, &handling, triggers_io, LONGEST);
    let mut trigger = TriggerEvent { arguments, handling, last_word, clock, began_ns };
    let judged = judge(&mut trigger);
    let TriggerEvent { arguments, handling, .. } = &trigger;
    let answer = judged.unwrap_or_else(|fault| handling.fail(arguments, &fault, &SystemClock));
    old_lines::note(&handling.home, arguments, &SystemClock);
    if triggers_io {
        standard_input::drain(&SystemClock);
    }
    trigger.last_word.stop();
    Some(answer.deliver(triggers_io))
}

enum Kind<'a> {
    Command(&'a [u8]),
    Form(FormEventKind),
}

impl<'a> Kind<'a> {
    fn of(arguments: &Arguments<'a>) -> Result<Self, &'static str> {
        let name = arguments.get("command").map(command_name);
        match FormEventKind::of_word(arguments.event) {
            None if arguments.event != b"command" => Err(UNKNOWN_EVENT),
            _ if !arguments.has_known_form => Err(OTHER_FORM),
            Some(kind) => Ok(Kind::Form(kind)),
            None => name.map(Kind::Command).ok_or(NO_COMMAND),
        }
    }
}

/// What happens to an event. `judge`, which replays ask as well, takes the same way without p4d: its
/// `command_judge.rs`, `running_judge.rs` and `form_judge.rs` in `ask/judge/` read events and facts from
/// JSON, keep rates in memory, and write an answer in place of a record.
fn judge<C: Clock>(trigger: &mut TriggerEvent<'_, C>) -> Result<Answer, Fault> {
    let kind = Kind::of(&trigger.arguments);
    let is_rescue = matches!(kind, Ok(Kind::Command(command)) if is_rescue(command));
    if is_rescue || trigger.home().is_off(&trigger.clock) {
        return Ok(Answer::GoOn);
    }
    if trigger.arguments.event == COMMAND_END {
        queue::end(trigger.home(), &trigger.clock)?; // queue.rs, home/state/
        return Ok(Answer::GoOn);
    }
    let kind = kind.map_err(Fault::new)?;
    let dictionary = dictionary(trigger)?; // event/trigger_dictionary.rs
    let policy_file = PolicyFile::open(trigger.home())?; // home/policy_file.rs
    let policy = policy_file.policy()?; // policy/document.rs
    trigger.apply_policy(&policy); // on_error.rs
    let trigger = &*trigger;
    let policy = (&policy_file, &policy);
    // The rules about it (policy/, rules/kinds.rs), how they stand to it (judge/standing.rs), and the
    // facts that they need (home/, server_facts.rs); then the steps in judged.rs:
    match kind {
        Kind::Command(name) => command::answer(trigger, policy, name, dictionary.as_ref()),
        Kind::Form(kind) => form::answer(trigger, policy, kind),
    }
}

/// The dictionary that a server with `triggers.io=1` writes, if the line is intact; a dictionary that
/// contradicts the line, or has an entry twice, breaks it. A fault if it does not come.
fn dictionary<C: Clock>(trigger: &mut TriggerEvent<'_, C>) -> Result<Option<StandardInput>, Fault> {
    let TriggerEvent { arguments, clock, began_ns, .. } = &trigger;
    if !arguments.triggers_io() || arguments.is_tampered {
        return Ok(None);
    }
    let input = standard_input::read(*began_ns, clock)?;
    trigger.last_word.watch();
    let contradiction = trigger_dictionary::contradiction(arguments.words, &input.content);
    let is_of_command = arguments.event == b"command";
    let forgery = || trigger_dictionary::forgery(&input.content, is_of_command);
    if let Some(broken_name) = contradiction.map(Some).or_else(forgery) {
        trigger.arguments = trigger.arguments.clone().as_tampered(broken_name);
    }
    Ok(Some(input))
}
