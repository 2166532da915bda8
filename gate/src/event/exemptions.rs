//! Exemptions from rules. They are judged before the rules, so that an exempt account cannot be
//! stopped.

use crate::base::patterns::matches;
use crate::event::command_event::Event;
use crate::policy::compiled::{Exemption, Patterns};

/// Whether an exemption applies to an event: every field that the policy sets must match.
///
/// The compiler of the policy has already selected the exemptions that concern a rule.
#[must_use]
pub fn applies(exemption: &Exemption<'_>, event: &Event<'_>) -> bool {
    fits(exemption.users, event.user, event)
        && fits(exemption.groups, event.groups.iter().copied(), event)
        && fits(exemption.clients, event.client, event)
        && fits(exemption.programs, event.prog, event)
        && exemption.until.is_none_or(|until| (event.day)().as_bytes() <= until)
}

/// Whether one of the values matches one of an exemption's patterns; an unset field always matches.
fn fits<'a>(
    patterns: Option<Patterns<'_>>,
    names: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    event: &Event<'_>,
) -> bool {
    patterns.is_none_or(|patterns| any_fits(patterns, names, event))
}

/// Whether one of the names matches one of the patterns.
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
