//! The facts that an event needs before it can be judged, and the rules that judge it.

use crate::event::form_event::{FormEvent, FormEventKind};
use crate::judge::form_exemptions::exemption;
use crate::judge::form_policy::{FormPolicy, NamedRule};
use crate::rules::form_rule::Needs;

/// The facts to request from the server before an event can be judged, without those needed only
/// by rules that the event is exempt from.
#[must_use]
pub fn needs(policy: &FormPolicy, event: &FormEvent<'_>, case_sensitive: bool) -> Needs {
    let rules = rules_for(policy, event).filter(|_| !event.is_tampered);
    let needy = rules.filter(|rule| rule.rule.needs() != Needs::default());
    let needy = needy.filter(|rule| exemption(policy, rule, event, case_sensitive).is_none());
    needy.map(|rule| rule.rule.needs()).fold(Needs::default(), Needs::and)
}

/// The smallest number of files to which a rule limits the view of an event's form; None if no such
/// limit applies.
#[must_use]
pub fn max_files(policy: &FormPolicy, event: &FormEvent<'_>, case_sensitive: bool) -> Option<u64> {
    if event.kind != FormEventKind::Save || event.is_tampered {
        return None;
    }
    let limits = rules_for(policy, event).filter_map(|rule| Some((rule, rule.rule.max_files()?)));
    let limits =
        limits.filter(|(rule, _)| exemption(policy, rule, event, case_sensitive).is_none());
    limits.map(|(_, limit)| limit).min()
}

/// Whether the baseline is needed to judge an event: a rule without an exemption for it tolerates
/// findings of the baseline.
#[must_use]
pub fn asks_for_census(policy: &FormPolicy, event: &FormEvent<'_>, case_sensitive: bool) -> bool {
    if event.kind != FormEventKind::Save || event.is_trial || event.is_tampered {
        return false;
    }
    let mut rules = rules_for(policy, event).filter(|rule| lets_stay(rule, event));
    rules.any(|rule| exemption(policy, rule, event, case_sensitive).is_none())
}

/// Whether a rule has a baseline that has not ended before the day of an event.
#[must_use]
pub fn lets_stay(rule: &NamedRule, event: &FormEvent<'_>) -> bool {
    rule.baseline && rule.baseline_until.as_ref().is_none_or(|until| (event.day)() <= *until)
}

/// The rules that judge an event, in policy order.
pub(super) fn rules_for<'p>(
    policy: &'p FormPolicy,
    event: &FormEvent<'_>,
) -> impl Iterator<Item = &'p NamedRule> {
    let FormEvent { kind, form_type, .. } = *event;
    policy.rules.iter().filter(move |rule| rule.rule.judges(kind, form_type))
}
