//! Exemptions of forms and submits from rules, the events that a rule is about, and for whom it is
//! enforced.

use crate::event::canary::enforces;
use crate::event::exemptions::applies;
use crate::event::form_event::FormEvent;
use crate::event::selector::{self, Match, Sender};
use crate::judge::form_policy::{FormPolicy, NamedRule};
use crate::policy::exemptions::Exemption;

/// The first exemption that excuses an event from a rule. An event of a deploy's trial run is
/// exempt from no rule.
#[must_use]
pub fn exemption<'p>(
    policy: &'p FormPolicy<'_>,
    rule: &NamedRule<'_>,
    event: &FormEvent<'p>,
    case_sensitive: bool,
) -> Option<&'p Exemption<'p>> {
    if event.is_trial {
        return None;
    }
    let sender = sender(event, case_sensitive);
    let mut exemptions = policy.exemptions.iter().chain(event.allowances);
    exemptions.find(|entry| entry.concerns(&rule.name) && applies(entry, &sender))
}

/// Whether a rule is about an event of this sender; every rule is about the trial run of a deploy.
#[must_use]
pub fn is_about(rule: &NamedRule<'_>, event: &FormEvent<'_>, case_sensitive: bool) -> Match {
    let selector = rule.selector.as_ref();
    selector::is_about(selector, event.is_trial, &sender(event, case_sensitive))
}

/// Whether a rule is enforced for an event's user, as every rule is in the trial run of a deploy.
#[must_use]
pub fn is_enforced(rule: &NamedRule<'_>, event: &FormEvent<'_>, case_sensitive: bool) -> bool {
    event.is_trial || enforces(&rule.mode, &sender(event, case_sensitive))
}

#[must_use]
pub fn sender<'e>(event: &'e FormEvent<'_>, case_sensitive: bool) -> Sender<'e> {
    Sender {
        user: event.user,
        groups: event.groups.as_deref(),
        client: event.client,
        described_client: event.described_client(),
        ip: event.ip,
        prog: event.prog,
        server: event.server,
        time_s: event.time_s,
        day: event.day,
        case_sensitive,
    }
}
