//! Exemptions of events from rules. They are judged before the rules, so that a rule never stops an
//! event that is exempt from it.

use crate::base::patterns::matches;
use crate::event::command_event::Event;
use crate::policy::exemptions::Exemption;
use crate::policy::patterns::Patterns;

/// Whether it concerns a rule is not compared here.
#[must_use]
pub fn applies(exemption: &Exemption<'_>, event: &Event<'_>) -> bool {
    fits(exemption.users.as_ref(), event.user, event)
        && fits(exemption.groups.as_ref(), event.groups.iter().copied(), event)
        && fits(exemption.clients.as_ref(), event.client, event)
        && fits(exemption.programs.as_ref(), event.prog, event)
        && exemption.until.as_ref().is_none_or(|until| (event.day)().as_bytes() <= &**until)
}

fn fits<'a>(
    patterns: Option<&Patterns<'_>>,
    names: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    event: &Event<'_>,
) -> bool {
    patterns.is_none_or(|patterns| any_fits(patterns, names, event))
}

pub(crate) fn any_fits<'a>(
    patterns: &Patterns<'_>,
    names: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    event: &Event<'_>,
) -> bool {
    let names = names.into_iter();
    patterns
        .iter()
        .any(|pattern| names.clone().any(|name| matches(pattern, name, event.case_sensitive)))
}
