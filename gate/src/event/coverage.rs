//! Whether a rule is about a command: by its name, or by another name and what that one adds.

use crate::event::command_event::Event;
use crate::paths::command_synonyms::holds;
use crate::policy::compiled::Rule;

/// Whether a rule about the event's main command is about the event; None where its arguments would
/// tell and are not known.
#[must_use]
pub fn covers(rule: &Rule<'_>, event: &Event<'_>) -> Option<bool> {
    let mut only = rule.only().peekable();
    if only.peek().is_none() {
        return Some(true);
    }
    let mut unknown = false;
    for added in only {
        match event.args {
            _ if added == event.named.added => return Some(true),
            Some(args) if holds(args, added) => return Some(true),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(false)
}
