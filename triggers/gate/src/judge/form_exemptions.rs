//! Exemptions of forms and submits from rules, and the users for whom a rule is enforced.

use crate::base::patterns::matches;
use crate::event::form_event::FormEvent;
use crate::judge::form_policy::{FormMode, FormPolicy, NamedRule};
use crate::policy::document::Exemption;

/// The first exemption that excuses an event from a rule. An event of a deploy's trial run is
/// exempt from no rule.
#[must_use]
pub fn exemption<'p>(
    policy: &'p FormPolicy,
    rule: &NamedRule,
    event: &FormEvent<'_>,
    case_sensitive: bool,
) -> Option<&'p Exemption> {
    if event.is_trial {
        return None;
    }
    policy.exemptions.iter().find(|entry| applies(entry, &rule.name, event, case_sensitive))
}

/// Whether a rule is enforced for an event's user, as every rule is in the trial run of a deploy.
#[must_use]
pub fn is_enforced(rule: &NamedRule, event: &FormEvent<'_>, case_sensitive: bool) -> bool {
    let fits = |patterns: &Option<Vec<String>>, names: &[&[u8]]| {
        patterns.as_ref().is_some_and(|patterns| any_fits(patterns, names, case_sensitive))
    };
    event.is_trial
        || match &rule.mode {
            FormMode::Observe => false,
            FormMode::Enforce => true,
            FormMode::Canary(canary) => {
                fits(&canary.users, event.user.as_slice()) || fits(&canary.groups, &event.groups)
            }
        }
}

/// Every condition that is set must match. A client form has two clients, the one that it describes
/// and the one that it is sent from; `clients` matches either.
fn applies(exemption: &Exemption, rule: &str, event: &FormEvent<'_>, case_sensitive: bool) -> bool {
    let own = event.name.filter(|_| event.form_type == Some(b"client"));
    let clients: Vec<&[u8]> = event.client.into_iter().chain(own).collect();
    let fits = |patterns: &Option<Vec<String>>, names: &[&[u8]]| {
        patterns.as_ref().is_none_or(|patterns| any_fits(patterns, names, case_sensitive))
    };
    exemption.rules.as_ref().is_none_or(|names| names.iter().any(|name| name == rule))
        && fits(&exemption.users, event.user.as_slice())
        && fits(&exemption.groups, &event.groups)
        && fits(&exemption.clients, &clients)
        && fits(&exemption.programs, event.prog.as_slice())
        && exemption.until.as_ref().is_none_or(|until| (event.day)() <= *until)
}

fn any_fits(patterns: &[String], names: &[&[u8]], case_sensitive: bool) -> bool {
    let fits = |pattern: &[u8]| names.iter().any(|name| matches(pattern, name, case_sensitive));
    patterns.iter().any(|pattern| fits(pattern.as_bytes()))
}
