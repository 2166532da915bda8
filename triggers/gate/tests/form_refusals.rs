//! Properties of the refusals of forms and submits, whatever names and texts users choose, and the
//! facts that these events need.

use p4warden_gate::event::form_event::{FormEvent, FormEventKind, SubmittedFile};
use p4warden_gate::facts::form_facts::{FormFacts, Marks};
use p4warden_gate::facts::known_depots::{Depot, KnownDepots};
use p4warden_gate::forms::form_parser::parse;
use p4warden_gate::judge::form_decision::{MAX_FINDINGS, judge};
use p4warden_gate::judge::form_needs::{asks_for_census, max_files, needs};
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::judge::form_refusal::text;
use p4warden_gate::rules::form_rule::Needs;
use p4warden_gate::rules::outcome::Verdict;
use proptest::prelude::*;

const POLICY: &str = r#"{
    "contact": "CONTACT", "help_url": "https://example.com/p4", "rules": [
    {"name": "options", "rule": "require_client_options", "mode": "enforce", "advice": "ADVICE",
     "demands": [{"options": ["compress", "rmdir"], "line_end": "share", "type": "partitioned"}]},
    {"name": "tops", "rule": "limit_top_directories", "mode": "enforce", "max": 1,
     "advice": "ADVICE"}
]}"#;

fn policy(contact: &str, advice: &str) -> FormPolicy {
    let text = POLICY.replace("CONTACT", contact).replace("ADVICE", advice);
    FormPolicy::from_json(text.as_bytes()).unwrap()
}

fn event<'e>(kind: FormEventKind, name: &'e [u8]) -> FormEvent<'e> {
    FormEvent {
        kind,
        form_type: (kind != FormEventKind::Submit).then_some(b"client"),
        name: Some(name),
        user: None,
        groups: Vec::new(),
        client: None,
        ip: None,
        prog: None,
        version: None,
        form: None,
        change: None,
        files: None,
        is_trial: false,
        is_tampered: false,
        broken_name: None,
        day: &|| "2026-11-21".to_owned(),
    }
}

fn facts(depots: &KnownDepots, unicode: bool) -> FormFacts<'_> {
    FormFacts {
        case_sensitive: true,
        unicode,
        server_id: None,
        depots,
        depots_as_of: String::new(),
        baseline: Marks::new(),
        spanned_files: None,
        used_directories: &Vec::new,
        client_exists: &|| None,
    }
}

fn refusal(policy: &FormPolicy, event: &FormEvent<'_>, facts: &FormFacts<'_>) -> String {
    let mut outcome = judge(policy, event, facts, Some(MAX_FINDINGS));
    assert_eq!(outcome.verdict, Verdict::Refuse);
    outcome.advise();
    text(policy, event, &outcome, facts.unicode).unwrap()
}

/// Short, without a character that a terminal acts on, and with the line for programs at the end.
fn assert_safe(text: &str, unicode: bool) -> Result<(), TestCaseError> {
    prop_assert!(text.len() <= 2048, "{} bytes", text.len());
    prop_assert!(unicode || text.is_ascii());
    prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    let last = text.lines().last().unwrap_or_default();
    prop_assert!(last.starts_with("p4warden: rule="), "{text}");
    prop_assert!(last.ends_with(" retry-after=none"), "{text}");
    Ok(())
}

proptest! {
    #[test]
    fn a_refused_client_gets_a_short_safe_text(
        name: Vec<u8>,
        options in "[^\"#\0]{0,300}",
        unicode: bool,
        contact in "[a-zé日]{1,200}",
        advice in "[a-zé日]{1,300}",
    ) {
        let policy = policy(&contact, &advice);
        let depots = KnownDepots::default();
        let form = format!("Client:\tws\nOptions:\t{}\nLineEnd:\twin\n", options.replace('\n', " "));
        let event = FormEvent { form: Some(parse(form.as_bytes())), ..event(FormEventKind::Save, &name) };
        assert_safe(&refusal(&policy, &event, &facts(&depots, unicode)), unicode)?;
    }

    #[test]
    fn a_refused_submit_gets_a_short_safe_text(
        names in prop::collection::vec("[^/\0]{1,200}", 1..6),
        known in prop::collection::vec(any::<Vec<u8>>(), 1..4),
        count in 2_u64..9,
        unicode: bool,
    ) {
        let policy = policy("admins", "a");
        let depot = Depot {
            name: b"depot".to_vec(),
            kind: b"local".to_vec(),
            directories: Some(known),
            directory_count: count,
            ..Depot::default()
        };
        let depots = KnownDepots(vec![depot]);
        let paths: Vec<String> = names.iter().map(|name| format!("//depot/new{name}/a.c")).collect();
        let files = paths.iter().map(|path| SubmittedFile { path: path.as_bytes(), action: b"add" });
        let event = FormEvent { files: Some(files.collect()), ..event(FormEventKind::Submit, b"") };
        let text = refusal(&policy, &event, &facts(&depots, unicode));
        assert_safe(&text, unicode)?;
        for line in text.lines().filter_map(|line| line.strip_prefix("  p4 move -c CHANGE ")) {
            prop_assert!(line.chars().all(|c| c.is_alphanumeric() || " /_.+-".contains(c)), "{line}");
        }
    }
}

const NEEDY: &str = r#"{
    "contact": "admins",
    "exemptions": [{"reason": "r", "owner": "o", "users": ["svc"]}],
    "rules": [
    {"name": "tops", "rule": "limit_top_directories", "mode": "observe", "max": 1},
    {"name": "depots", "rule": "limit_depot_count", "mode": "enforce", "max": 9},
    {"name": "wide", "rule": "limit_view_scope", "mode": "enforce", "max_files": 900},
    {"name": "narrow", "rule": "limit_view_scope", "mode": "enforce", "max_files": 70,
     "baseline": true, "baseline_until": "2026-11-21"},
    {"name": "off", "rule": "limit_view_scope", "mode": "off", "max_files": 1}
]}"#;

#[test]
fn only_facts_that_a_rule_needs_are_asked_for_and_none_for_exempt_or_tampered_events() {
    let policy = FormPolicy::from_json(NEEDY.as_bytes()).unwrap();
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
    let policy = FormPolicy::from_json(NEEDY.as_bytes()).unwrap();
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
