//! Decision whether a rule covers a command. A rule that names only synonyms, such as `flush`,
//! covers the main command (`sync`) only with the option or word that a synonym stands for (`-k`), and
//! a rule with a selector only the commands of those whom it selects.

use crate::event::command_event::Event;
use crate::event::selector::{self, Match};
use crate::paths::command_synonyms::contains_addition;
use crate::policy::selector::Selector;

/// Why a rule cannot decide: p4d did not pass the arguments, or left them out of its log.
pub const ARGS_LEFT_OUT: &str = "args-left-out";

/// Whether an event is of those that a selector is about; the trial run of a deploy always is.
#[must_use]
pub fn is_about(selector: Option<&Selector<'_>>, event: &Event<'_>) -> Match {
    selector::is_about(selector, event.is_trial, &event.sender())
}

/// The words are those of a rule for the command; none if it may have any.
#[must_use]
pub fn has_one_of(required_words: &[&str], event: &Event<'_>) -> Match {
    if required_words.is_empty() {
        return Match::Yes;
    }
    let mut unknown = false;
    for addition in required_words.iter().copied() {
        match event.args {
            _ if addition == event.name.addition => return Match::Yes,
            Some(args) if contains_addition(args, addition) => return Match::Yes,
            Some(_) => {}
            None => unknown = true,
        }
    }
    if unknown { Match::Unknown(ARGS_LEFT_OUT) } else { Match::No }
}
