//! Canary users of a rule: those for whom the rule is already enforced while it only observes
//! everyone else.

use crate::event::command_event::Event;
use crate::event::exemptions::any_fits;
use crate::policy::compiled::Canary;

/// Whether an event's user, or one of the user's groups, is among the canary users of a rule.
#[must_use]
pub fn includes(canary: &Canary<'_>, event: &Event<'_>) -> bool {
    let groups = || event.groups.iter().copied();
    canary.users.is_some_and(|patterns| any_fits(patterns, event.user, event))
        || canary.groups.is_some_and(|patterns| any_fits(patterns, groups(), event))
}
