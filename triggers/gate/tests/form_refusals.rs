//! Properties of the refusals of forms and submits, whatever names and texts users choose.

mod form_facts;

use p4warden_gate::event::form_event::{FormEvent, FormEventKind, SubmittedFile};
use p4warden_gate::facts::form_facts::FormFacts;
use p4warden_gate::facts::known_depots::{Depot, KnownDepots};
use p4warden_gate::forms::form_parser::parse;
use p4warden_gate::judge::accepted_lines::advise;
use p4warden_gate::judge::command_outcome::Verdict;
use p4warden_gate::judge::form_decision::{MAX_FINDINGS, judge};
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::judge::form_refusal::text;
use p4warden_gate::judge::form_standing::standings;
use p4warden_gate::policy::document::Policy;
use proptest::prelude::*;
use serde_json::{Value, json};

const POLICY: &str = r#"{
    "format": 1, "digest": "", "contact": "CONTACT", "help_url": "https://example.com/p4", "rules": [
    {"name": "options", "rule": "require_client_options", "mode": "enforce", "advice": "ADVICE",
     "demands": [{"options": ["compress", "rmdir"], "line_end": "share", "type": "partitioned"}]},
    {"name": "tops", "rule": "limit_top_directories", "mode": "enforce", "max": 1,
     "advice": "ADVICE"}
]}"#;

fn policy(contact: &str, advice: &str) -> Policy<'static> {
    read(POLICY.replace("CONTACT", contact).replace("ADVICE", advice))
}

fn read(document: String) -> Policy<'static> {
    Policy::read(document.leak().as_bytes()).unwrap()
}

/// A policy of one rule `limit_view_scope`, with the longest texts.
fn view_scope(settings: Value) -> Policy<'static> {
    let mut rule = json!({"name": "n".repeat(64), "rule": "limit_view_scope", "mode": "enforce",
        "advice": format!("{}\nb", "a".repeat(398))});
    for (name, value) in settings.as_object().into_iter().flatten() {
        rule[name] = value.clone();
    }
    let (contact, url) = ("c".repeat(200), format!("https://{}", "h".repeat(200)));
    let head =
        json!({"format": 1, "digest": "", "contact": contact, "help_url": url, "rules": [rule]});
    read(head.to_string())
}

fn client_form(lines: &[String]) -> String {
    let rows: String = lines.iter().map(|line| format!("\t{line}\n")).collect();
    format!("Client:\tws\nView:\n{rows}")
}

#[test]
fn a_long_path_with_dots_in_the_middle_is_cut_after_limit_and_remedy() {
    let policy = view_scope(json!({"max_embedded": 1}));
    let name = "é".repeat(200);
    let lines =
        ["a", "b"].map(|end| format!("//depot/{name}/.../{end} //ws/depot/{name}/.../{end}"));
    let form = client_form(&lines);
    let form = Some(parse(form.as_bytes()));
    let event = FormEvent { form, ..event(FormEventKind::Save, b"ws") };
    let text = refusal(&policy, &event, &facts(&KnownDepots::default(), false));
    let first = text.lines().next().unwrap_or_default();
    let problem = "has 2 paths with ... in the middle; at most 1 is allowed. In at least one of them, \
        write the names of directories in place of the ... in the middle, such as in //depot/\\xe9";
    assert!(first.contains(problem), "{first}");
    assert!(first.ends_with("... (cut)."), "{first}");
}

fn event<'e>(kind: FormEventKind, name: &'e [u8]) -> FormEvent<'e> {
    FormEvent {
        kind,
        form_type: (kind != FormEventKind::Submit).then_some(b"client"),
        name: Some(name),
        ..FormEvent::unknown(kind, &|| "2026-11-21".to_owned())
    }
}

fn facts<'f>(depots: &'f KnownDepots<'f>, unicode: bool) -> FormFacts<'f> {
    FormFacts { unicode, ..form_facts::facts(depots) }
}

fn refusal(policy: &Policy<'_>, event: &FormEvent<'_>, facts: &FormFacts<'_>) -> String {
    let rules = FormPolicy::of(policy).unwrap();
    let standings = standings(&rules, event, facts.case_sensitive);
    let mut outcome = judge(&standings, event, facts, Some(MAX_FINDINGS));
    assert_eq!(outcome.verdict, Verdict::Refuse);
    advise(&mut outcome, &standings, event, facts);
    text(policy, event, &outcome, facts.unicode).unwrap()
}

/// Short, without a character that a terminal acts on, and with the line for programs at the end.
fn assert_safe(text: &str, unicode: bool) -> Result<(), TestCaseError> {
    prop_assert!(text.len() <= 2048, "{} bytes", text.len());
    prop_assert!(unicode || text.is_ascii());
    prop_assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    let last = text.lines().last().unwrap_or_default();
    prop_assert!(last.starts_with("p4warden: rule="), "{text}");
    prop_assert!(!last.contains("=none") && !last.contains("retry-after"), "{text}");
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
    fn a_refused_view_gets_a_short_safe_text_with_all_that_the_site_says(
        name: Vec<u8>,
        lines in prop::collection::vec("[^\n#]{0,300}", 1..13),
        directories in prop::collection::vec("[^\n#]{0,300}", 0..6),
    ) {
        let policy = view_scope(json!({"min_depth": 20}));
        let lines: Vec<_> = lines.iter().map(|l| format!("//depot/{l}/... //ws/{l}/...")).collect();
        let form = client_form(&lines);
        let depot = Depot {
            name: b"depot".to_vec(),
            kind: b"local".to_vec(),
            directory_count: directories.len() as u64,
            directories: Some(directories.into_iter().map(String::into_bytes).collect()),
            ..Depot::default()
        };
        let depots = KnownDepots::of(vec![depot]);
        let form = Some(parse(form.as_bytes()));
        let event = FormEvent { form, ..event(FormEventKind::Save, &name) };
        let text = refusal(&policy, &event, &facts(&depots, false));
        assert_safe(&text, false)?;
        let (advice, contact, url) = ("a".repeat(398), "c".repeat(200), "h".repeat(200));
        let of_site = format!("\n{advice}\nb\nQuestions: {contact}\nThe policy: https://{url}\n");
        prop_assert!(text.contains(&of_site), "{text}");
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
        let depots = KnownDepots::of(vec![depot]);
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
