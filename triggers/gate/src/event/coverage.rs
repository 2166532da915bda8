//! Decision whether a rule covers a command. A rule that names only synonyms, such as `flush`,
//! covers the main command (`sync`) only with the option or word that a synonym stands for (`-k`).

use crate::event::command_event::Event;
use crate::paths::command_synonyms::contains_addition;

/// The words are those of a rule for the command. None if that depends on unknown arguments.
#[must_use]
pub fn covers(required_words: &[&str], event: &Event<'_>) -> Option<bool> {
    if required_words.is_empty() {
        return Some(true);
    }
    let mut unknown = false;
    for addition in required_words.iter().copied() {
        match event.args {
            _ if addition == event.name.addition => return Some(true),
            Some(args) if contains_addition(args, addition) => return Some(true),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(false)
}
