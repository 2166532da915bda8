//! Which arguments of a command a rule covers. A rule that names only synonyms, such as `flush`,
//! covers the main command (`sync`) only with the option or word that a synonym stands for (`-k`).

use crate::event::command_event::Event;
use crate::event::selector::Match;
use crate::paths::command_synonyms::contains_addition;

/// Why a rule cannot decide: p4d did not pass the arguments, or left them out of its log.
pub const ARGS_LEFT_OUT: &str = "args-left-out";

/// The words are those of a rule for the command; none if it may have any.
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
