//! How the rules stand to a form or a submit, and the facts that those which judge it need.

use crate::contract::form_rule::Needs;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::selector::Match;
use crate::judge::form_policy::{FormPolicy, NamedRule};
use crate::judge::standing::{Standing, Standings};

/// Of a rule that is about the event, or may be; also with an exemption for it.
pub struct FormStanding<'p> {
    pub rule: &'p NamedRule<'p>,
    pub standing: Standing<'p>,
    /// Findings of the baseline are no reason to refuse.
    pub lets_stay: bool,
}

/// In policy order.
pub fn standings<'p>(
    policy: &'p FormPolicy<'p>,
    event: &FormEvent<'_>,
    case_sensitive: bool,
) -> Vec<FormStanding<'p>> {
    let sender = event.sender(case_sensitive);
    let standings = Standings::of(sender, event.is_trial, &policy.exemptions, false);
    let rules = policy.rules.iter().filter(|rule| rule.rule.judges(event.kind, event.form_type));
    let of_rule = |rule: &'p NamedRule<'p>| {
        let standing = standings.of_rule(&rule.name, rule.selector.as_ref(), &rule.mode);
        let lets_stay = standing.exemption.is_none() && lets_stay(rule, event);
        FormStanding { rule, standing, lets_stay }
    };
    rules.map(of_rule).filter(|one| one.standing.about != Match::No).collect()
}

/// Of the rules that the event is not exempt from.
fn asking<'s, 'p>(standings: &'s [FormStanding<'p>]) -> impl Iterator<Item = &'s FormStanding<'p>> {
    standings.iter().filter(|one| one.standing.exemption.is_none())
}

/// The facts to request from the server before an event can be judged.
pub fn needs(standings: &[FormStanding<'_>], event: &FormEvent<'_>) -> Needs {
    if event.is_tampered {
        return Needs::default();
    }
    let certain = asking(standings).filter(|one| one.standing.about == Match::Yes);
    let needs = certain.map(|one| one.rule.rule.needs()).fold(Needs::default(), Needs::and);
    if event.kind.is_of_a_change() {
        return needs;
    }
    let has_client = event.readable_form().is_some_and(|form| form.is_of_existing_client);
    Needs { depots: needs.depots, client: needs.client && has_client, ..Needs::default() }
}

/// The smallest number of files to which a rule limits the view of an event's form; None if no such
/// limit applies.
pub fn max_files(standings: &[FormStanding<'_>], event: &FormEvent<'_>) -> Option<u64> {
    if event.kind != FormEventKind::Save || event.is_tampered {
        return None;
    }
    asking(standings).filter_map(|one| one.rule.rule.max_files()).min()
}

/// Whether the paths that a stream has from other streams are needed to judge an event.
pub fn counts_inherited(standings: &[FormStanding<'_>]) -> bool {
    asking(standings).any(|one| one.rule.rule.counts_inherited())
}

/// Whether the baseline is needed to judge an event.
pub fn asks_for_census(standings: &[FormStanding<'_>]) -> bool {
    standings.iter().any(|one| one.lets_stay)
}

/// Whether a rule has a baseline for the event that has not ended before its day.
pub fn lets_stay(rule: &NamedRule<'_>, event: &FormEvent<'_>) -> bool {
    let is_for_it = event.kind == FormEventKind::Save && !event.is_trial && !event.is_tampered;
    rule.baseline
        && is_for_it
        && rule.baseline_until.as_ref().is_none_or(|until| (event.day)() <= *until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::form::Form;
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
        let needs = |event: &FormEvent<'_>| needs(&standings(&policy, event, true), event);
        let submit = event(FormEventKind::Submit, b"");
        let depot = FormEvent { form_type: Some(b"depot"), ..event(FormEventKind::Save, b"x") };
        let of_submit = Needs { files: true, directories: true, ..Needs::default() };
        assert_eq!(needs(&submit), of_submit);
        assert_eq!(needs(&depot), Needs { depots: true, ..Needs::default() });
        let client = event(FormEventKind::Save, b"ws");
        assert_eq!(needs(&client), Needs::default());
        let form = Form { is_of_existing_client: true, ..Form::default() };
        let existing = FormEvent { form: Some(Ok(form)), ..client };
        assert_eq!(needs(&existing), Needs { client: true, ..Needs::default() });
        assert_eq!(needs(&FormEvent { user: Some(b"svc"), ..existing }), Needs::default());
        assert_eq!(needs(&FormEvent { user: Some(b"svc"), ..submit.clone() }), Needs::default());
        assert_eq!(needs(&FormEvent { is_tampered: true, ..submit }), Needs::default());
    }

    #[test]
    fn the_smallest_limit_of_files_and_the_baseline_count_unless_the_event_is_exempt() {
        let policy = FormPolicy::of(&Policy::read(NEEDY.as_bytes()).unwrap()).unwrap();
        let limit = |event: &FormEvent<'_>| max_files(&standings(&policy, event, true), event);
        let asks_for_census =
            |event: &FormEvent<'_>| asks_for_census(&standings(&policy, event, true));
        let client = event(FormEventKind::Save, b"ws");
        assert_eq!(limit(&client), Some(70));
        assert!(asks_for_census(&client));
        let later = FormEvent { day: &|| "2026-11-22".to_owned(), ..client.clone() };
        assert!(!asks_for_census(&later));
        let trial = FormEvent { is_trial: true, user: Some(b"svc"), ..client.clone() };
        assert_eq!(limit(&trial), Some(70));
        assert!(!asks_for_census(&trial));
        let exempt = FormEvent { user: Some(b"svc"), ..client };
        assert_eq!(limit(&exempt), None);
        assert!(!asks_for_census(&exempt));
    }
}
