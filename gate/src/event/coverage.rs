//! Decision whether a rule covers a command: under the command's main name, or only under a synonym
//! with the arguments that the synonym adds.

use crate::event::command_event::Event;
use crate::paths::command_synonyms::contains_addition;
use crate::policy::compiled::Rule;

/// Whether a given rule for the event's command covers the event; a rule that names only a synonym
/// covers the command only with the synonym's arguments. None if that depends on unknown arguments.
#[must_use]
pub fn covers(rule: &Rule<'_>, event: &Event<'_>) -> Option<bool> {
    let mut only = rule.only().peekable();
    if only.peek().is_none() {
        return Some(true);
    }
    let mut unknown = false;
    for addition in only {
        match event.args {
            _ if addition == event.name.addition => return Some(true),
            Some(args) if contains_addition(args, addition) => return Some(true),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(false)
}
