//! The facts that an event needs before it can be judged, and the rules that judge it.

use crate::contract::form_rule::Needs;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::selector::Match;
use crate::judge::form_exemptions::{exemption, is_about};
use crate::judge::form_policy::{FormPolicy, NamedRule};

/// The facts to request from the server before an event can be judged, without those needed only
/// by rules that the event is exempt from.
#[must_use]
pub fn needs(policy: &FormPolicy<'_>, event: &FormEvent<'_>, case_sensitive: bool) -> Needs {
    let asks = |rule: &NamedRule<'_>| {
        let needs_any = !event.is_tampered && rule.rule.needs() != Needs::default();
        needs_any && is_about(rule, event, case_sensitive) == Match::Yes
    };
    let needs = asking(policy, event, case_sensitive, asks).map(|rule| rule.rule.needs());
    let needs = needs.fold(Needs::default(), Needs::and);
    if event.kind.is_of_a_change() {
        return needs;
    }
    Needs { depots: needs.depots, ..Needs::default() }
}

/// The smallest number of files to which a rule limits the view of an event's form; None if no such
/// limit applies.
#[must_use]
pub fn max_files(
    policy: &FormPolicy<'_>,
    event: &FormEvent<'_>,
    case_sensitive: bool,
) -> Option<u64> {
    if event.kind != FormEventKind::Save || event.is_tampered {
        return None;
    }
    let limiting = asking(policy, event, case_sensitive, |rule| rule.rule.max_files().is_some());
    limiting.filter_map(|rule| rule.rule.max_files()).min()
}

/// Whether the paths that a stream has from other streams are needed to judge an event.
#[must_use]
pub fn counts_inherited(
    policy: &FormPolicy<'_>,
    event: &FormEvent<'_>,
    case_sensitive: bool,
) -> bool {
    let mut counting = asking(policy, event, case_sensitive, |rule| rule.rule.counts_inherited());
    counting.next().is_some()
}

/// Whether the baseline is needed to judge an event: a rule without an exemption for it tolerates
/// findings of the baseline.
#[must_use]
pub fn asks_for_census(
    policy: &FormPolicy<'_>,
    event: &FormEvent<'_>,
    case_sensitive: bool,
) -> bool {
    if event.kind != FormEventKind::Save || event.is_trial || event.is_tampered {
        return false;
    }
    asking(policy, event, case_sensitive, |rule| lets_stay(rule, event)).next().is_some()
}

/// Whether a rule has a baseline that has not ended before the day of an event.
#[must_use]
pub fn lets_stay(rule: &NamedRule<'_>, event: &FormEvent<'_>) -> bool {
    rule.baseline && rule.baseline_until.as_ref().is_none_or(|until| (event.day)() <= *until)
}

/// Those of the rules that judge an event, or may judge it, that it is not exempt from.
fn asking<'p>(
    policy: &'p FormPolicy<'p>,
    event: &'p FormEvent<'_>,
    case_sensitive: bool,
    asks: impl Fn(&NamedRule<'_>) -> bool,
) -> impl Iterator<Item = &'p NamedRule<'p>> {
    let rules = rules_for(policy, event, case_sensitive).filter(move |rule| asks(rule));
    rules.filter(move |rule| exemption(policy, rule, event, case_sensitive).is_none())
}

/// The rules that judge an event, or may judge it, in policy order.
pub fn rules_for<'p>(
    policy: &'p FormPolicy<'p>,
    event: &FormEvent<'_>,
    case_sensitive: bool,
) -> impl Iterator<Item = &'p NamedRule<'p>> {
    let FormEvent { kind, form_type, .. } = *event;
    let rules = policy.rules.iter().filter(move |rule| rule.rule.judges(kind, form_type));
    rules.filter(move |rule| is_about(rule, event, case_sensitive) != Match::No)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::document::Policy;

    fn event<'e>(kind: FormEventKind, name: &'e [u8]) -> FormEvent<'e> {
        FormEvent {
            kind,
            form_type: (kind != FormEventKind::Submit).then_some(b"client"),
            name: Some(name),
            ..FormEvent::unknown(kind, &|| "2026-11-21".to_owned())
        }
    }

    const NEEDY: &str = r#"{
        "format": 1, "digest": "", "contact": "admins",
        "exemptions": [{"reason": "r", "owner": "o", "for": {"users": ["svc"]}}],
        "rules": [
        {"name": "tops", "rule": "limit_top_directories", "mode": "observe", "max": 1},
        {"name": "paths", "rule": "limit_path_length", "mode": "observe", "max_leading": 9},
        {"name": "depots", "rule": "limit_depot_count", "mode": "enforce", "max": 9},
        {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", "max_files": 900},
        {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce", "max_files": 70,
         "baseline": true, "baseline_until": "2026-11-21"},
        {"name": "off", "rule": "limit_view_scope", "mode": "off", "max_files": 1}
    ]}"#;

    #[test]
    fn only_facts_that_a_rule_needs_are_asked_for_and_none_for_exempt_or_tampered_events() {
        let policy = FormPolicy::of(&Policy::read(NEEDY.as_bytes()).unwrap()).unwrap();
        let needs = |event: &FormEvent<'_>| needs(&policy, event, true);
        let submit = event(FormEventKind::Submit, b"");
        let depot = FormEvent { form_type: Some(b"depot"), ..event(FormEventKind::Save, b"x") };
        let of_submit = Needs { files: true, directories: true, ..Needs::default() };
        assert_eq!(needs(&submit), of_submit);
        assert_eq!(needs(&depot), Needs { depots: true, ..Needs::default() });
        assert_eq!(needs(&event(FormEventKind::Save, b"ws")), Needs::default());
        assert_eq!(needs(&FormEvent { user: Some(b"svc"), ..submit.clone() }), Needs::default());
        assert_eq!(needs(&FormEvent { is_tampered: true, ..submit }), Needs::default());
    }

    #[test]
    fn the_smallest_limit_of_files_and_the_baseline_count_unless_the_event_is_exempt() {
        let policy = FormPolicy::of(&Policy::read(NEEDY.as_bytes()).unwrap()).unwrap();
        let client = event(FormEventKind::Save, b"ws");
        assert_eq!(max_files(&policy, &client, true), Some(70));
        assert!(asks_for_census(&policy, &client, true));
        let later = FormEvent { day: &|| "2026-11-22".to_owned(), ..client.clone() };
        assert!(!asks_for_census(&policy, &later, true));
        let trial = FormEvent { is_trial: true, user: Some(b"svc"), ..client.clone() };
        assert_eq!(max_files(&policy, &trial, true), Some(70));
        assert!(!asks_for_census(&policy, &trial, true));
        let exempt = FormEvent { user: Some(b"svc"), ..client };
        assert_eq!(max_files(&policy, &exempt, true), None);
        assert!(!asks_for_census(&policy, &exempt, true));
    }
}
