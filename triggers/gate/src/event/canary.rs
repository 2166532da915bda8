//! Users for whom a rule is enforced while it only observes everyone else.

use crate::event::command_event::Event;
use crate::event::exemptions::any_fits;
use crate::policy::modes::Canary;

#[must_use]
pub fn includes(canary: &Canary<'_>, event: &Event<'_>) -> bool {
    let groups = || event.groups.iter().copied();
    canary.users.as_ref().is_some_and(|patterns| any_fits(patterns, event.user, event))
        || canary.groups.as_ref().is_some_and(|patterns| any_fits(patterns, groups(), event))
}
