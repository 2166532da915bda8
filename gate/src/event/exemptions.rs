//! Who may pass a rule; judged before the rule, so that an exempt account cannot be stopped.

use crate::base::patterns::matches;
use crate::event::command_event::Event;
use crate::policy::compiled::{Exemption, Patterns};

/// Whether an exemption lets the event pass: all the fields that are written must match.
///
/// That it is for the rule at hand was settled when the policy was compiled.
#[must_use]
pub fn applies(exemption: &Exemption<'_>, event: &Event<'_>) -> bool {
    fits(exemption.users, event.user, event)
        && fits(exemption.groups, event.groups.iter().copied(), event)
        && fits(exemption.clients, event.client, event)
        && fits(exemption.programs, event.prog, event)
        && exemption.until.is_none_or(|until| (event.day)().as_bytes() <= until)
}

/// Whether a field that is written fits; one that is not asks for nothing.
fn fits<'a>(
    patterns: Option<Patterns<'_>>,
    names: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    event: &Event<'_>,
) -> bool {
    patterns.is_none_or(|patterns| any_fits(patterns, names, event))
}

/// Whether one of the names fits one of the patterns.
pub(crate) fn any_fits<'a>(
    patterns: Patterns<'_>,
    names: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    event: &Event<'_>,
) -> bool {
    let names = names.into_iter();
    patterns
        .iter()
        .any(|pattern| names.clone().any(|name| matches(pattern, name, event.case_sensitive)))
}
