//! Properties of the verdicts of all rules about forms, whatever text users save.

mod form_facts;

use p4warden_gate::ask::judge::{FormJudge, Judge, JudgedPolicy};
use p4warden_gate::contract::kind_of_rule::Reader;
use p4warden_gate::event::form_event::{FormEvent, FormEventKind};
use p4warden_gate::facts::form_facts::FormFacts;
use p4warden_gate::facts::known_depots::{Depot, KnownDepots};
use p4warden_gate::forms::form_parser::parse;
use p4warden_gate::judge::accepted_lines::advise;
use p4warden_gate::judge::command_outcome::Verdict;
use p4warden_gate::judge::form_decision::{MAX_FINDINGS, judge};
use p4warden_gate::judge::form_outcome::FormOutcome;
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::judge::form_standing::{FormStanding, standings};
use p4warden_gate::paths::depot_path::has_wildcard;
use p4warden_gate::policy::document::Policy;
use p4warden_gate::rules::kinds;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::cell::Cell;
use std::error::Error;
use std::path::Path;

/// A rule of each kind about forms. A kind that is not named here has the required settings, each as
/// small as its schema allows.
fn rules() -> Vec<Value> {
    let forms = ["client", "stream", "branch", "label"];
    let rules = json!([
        {"rule": "limit_view_scope", "forms": forms, "max_share": 0.8, "max_embedded": 1},
        {"rule": "limit_path_length", "forms": ["client", "stream", "branch", "label", "depot"],
         "max_leading": 20},
        {"rule": "limit_top_directories", "max": 1},
        {"rule": "limit_depot_count", "max": 1},
        {"rule": "require_client_options", "demands": [{"options": ["compress"], "type": "readonly"}]},
        {"rule": "suggest_client_options", "wishes": [{"options": ["compress"], "type": "readonly"}]},
        {"rule": "suggest_client_view", "min_depth": 1},
    ]);
    let mut rules = rules.as_array().cloned().unwrap_or_default();
    let kinds = kinds::all().filter(|kind| matches!(kind.read, Reader::OfForms(_)));
    for kind in kinds.map(|kind| kind.name) {
        if !rules.iter().any(|rule| rule["rule"] == kind) {
            rules.push(smallest(kind, &schema_of(kind).unwrap()));
        }
    }
    rules
}

fn schema_of(kind: &str) -> Result<Value, Box<dyn Error>> {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../p4warden/policy/schema/rules");
    Ok(serde_json::from_str(&std::fs::read_to_string(schemas.join(format!("{kind}.json")))?)?)
}

/// A setting without a minimum has its first example.
fn smallest(kind: &str, schema: &Value) -> Value {
    let mut rule = json!({"rule": kind});
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let setting = &schema["properties"][name];
        let minimum = setting.get("minimum");
        rule[name] = minimum.unwrap_or(&setting["examples"][0]).clone();
    }
    rule
}

fn policy(rule: &Value, mode: &str) -> FormPolicy<'static> {
    policy_of(rule, mode).unwrap()
}

fn policy_of(rule: &Value, mode: &str) -> Result<FormPolicy<'static>, Box<dyn Error>> {
    let mut rule = rule.clone();
    (rule["name"], rule["mode"]) = (json!("r"), json!(mode));
    let document = json!({"format": 1, "digest": "", "contact": "admins", "rules": [rule]});
    Ok(FormPolicy::of(&Policy::read(document.to_string().leak().as_bytes())?)?)
}

fn facts<'f>(
    depots: &'f KnownDepots<'f>,
    used_directories: &'f dyn Fn() -> Vec<Vec<u8>>,
) -> FormFacts<'f> {
    FormFacts { used_directories, ..form_facts::facts(depots) }
}

fn event<'e>(kind: FormEventKind, form_type: &'e str, text: &'e [u8]) -> FormEvent<'e> {
    FormEvent {
        kind,
        form_type: Some(form_type.as_bytes()),
        name: Some(b"ws"),
        form: Some(parse(text)),
        ..FormEvent::unknown(kind, &|| "2026-11-21".to_owned())
    }
}

fn advised<'e>(
    standings: &'e [FormStanding<'e>],
    event: &'e FormEvent<'e>,
    facts: &'e FormFacts<'e>,
) -> FormOutcome<'e> {
    let mut outcome = judge(standings, event, facts, Some(MAX_FINDINGS));
    advise(&mut outcome, standings, event, facts);
    outcome
}

fn known_depots() -> KnownDepots<'static> {
    let depot = |name: &str, directories: Option<Vec<Vec<u8>>>| Depot {
        name: name.as_bytes().to_vec(),
        kind: b"local".to_vec(),
        directories,
        directory_count: 9,
        streams: None,
        ..Depot::default()
    };
    KnownDepots::of(vec![
        depot("depot", Some(vec![b"main".to_vec(), b"rel".to_vec()])),
        depot("big", None),
    ])
}

#[test]
fn each_kind_of_rule_about_forms_is_tested() {
    let rules = rules();
    let of_forms = kinds::all().filter(|kind| matches!(kind.read, Reader::OfForms(_)));
    for kind in of_forms {
        let is_named = rules
            .iter()
            .any(|rule| rule["rule"] == kind.name && policy_of(rule, "enforce").is_ok());
        assert!(is_named, "name settings of {} in rules()", kind.name);
    }
}

#[test]
fn a_rule_that_is_not_named_has_its_required_settings() {
    let schema = json!({"required": ["max", "names"], "properties": {
        "max": {"minimum": 2, "examples": [9]},
        "names": {"examples": [["a"], ["b"]]},
        "optional": {"minimum": 1},
    }});
    assert_eq!(smallest("limit", &schema), json!({"rule": "limit", "max": 2, "names": ["a"]}));
}

const WORDS: &str = "//depot/ //... //ws/ ... * %%1 + - & \" # \t \n import share isolate compress \
    @12 View: Paths: Options: Access: Map: Type: Host: Depot: nocompress \0 é //depot/main/... \
    //ws/main/... DIRECTORY SHORT";

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&'static [u8]> =
        WORDS.split(' ').map(str::as_bytes).chain([&b"\xff"[..]]).collect();
    let words = prop::collection::vec(select(words), 0..60).prop_map(|words| words.join(&b' '));
    let form = words.clone().prop_map(|words| [b"Client:\tws\nView:\n\t", &words[..]].concat());
    prop_oneof![any::<Vec<u8>>(), words, form]
}

proptest! {
    #[test]
    fn each_rule_gives_a_verdict_on_a_form_of_any_text(
        text in texts(),
        rule in select(rules()),
        kind in select(&[FormEventKind::Save, FormEventKind::Out][..]),
        form_type in select(&["client", "stream", "branch", "label", "depot"][..]),
    ) {
        let (depots, policy) = (known_depots(), policy(&rule, "enforce"));
        let facts = facts(&depots, &Vec::new);
        let first = event(kind, form_type, &text);
        let standings = standings(&policy, &first, facts.case_sensitive);
        let outcome = advised(&standings, &first, &facts);
        prop_assert_ne!(outcome.verdict, Verdict::Delay);
        if let Some(shown) = outcome.form() {
            let again = event(kind, form_type, shown);
            let again = advised(&standings, &again, &facts);
            prop_assert_eq!(again.form(), None);
        }
    }
}

#[test]
fn a_rule_stops_after_100_findings() {
    let view: String =
        (0..500).map(|n| format!("\t//depot/%%{}/{n}/... //ws/...\n", n % 10)).collect();
    let text = format!("Client:\tws\nView:\n{view}");
    let (depots, policy) =
        (known_depots(), policy(&json!({"rule": "limit_view_scope"}), "enforce"));
    let (facts, event) =
        (facts(&depots, &Vec::new), event(FormEventKind::Save, "client", text.as_bytes()));
    let standings = standings(&policy, &event, facts.case_sensitive);
    let findings = |most| judge(&standings, &event, &facts, most).judgements[0].findings.len();
    assert_eq!((findings(Some(MAX_FINDINGS)), findings(None)), (100, 500));
}

#[test]
fn directories_in_use_are_looked_up_only_for_refusals_of_wide_lines() {
    let depots = known_depots();
    let view_scope = json!({"rule": "limit_view_scope"});
    let path_length = json!({"rule": "limit_path_length", "max_leading": 9});
    let (wide, narrow) = ("//depot/... //ws/...", "//depot/a/very/long/path/... //ws/...");
    for (rule, mode, line, count) in [
        (&view_scope, "enforce", wide, 1),
        (&view_scope, "observe", wide, 0),
        (&view_scope, "enforce", narrow, 0),
        (&path_length, "enforce", narrow, 0),
        (&path_length, "observe", narrow, 0),
    ] {
        let lookups = Cell::new(0);
        let used_directories = || {
            lookups.set(lookups.get() + 1);
            Vec::new()
        };
        let (policy, text) = (policy(rule, mode), format!("Client:\tws\nView:\n\t{line}\n"));
        let event = event(FormEventKind::Save, "client", text.as_bytes());
        let facts = facts(&depots, &used_directories);
        let standings = standings(&policy, &event, facts.case_sensitive);
        let outcome = advised(&standings, &event, &facts);
        assert_eq!(outcome.verdict == Verdict::Allow, rule == &view_scope && line == narrow);
        assert_eq!(lookups.get(), count, "{rule} {mode} {line}");
    }
}

/// Of a policy that requires 20 directories in arguments of `p4 files` and in lines of labels.
fn measured(line: &Value) -> Value {
    let rules = json!([
        {"name": "r", "rule": "limit_view_scope", "mode": "enforce", "forms": ["label"], "min_depth": 20},
        {"name": "r", "rule": "limit_command_scope", "mode": "enforce", "commands": ["files"],
         "min_depth": 20},
    ]);
    let document =
        json!({"format": 1, "digest": "", "contact": "admins", "rules": rules}).to_string();
    let policy =
        JudgedPolicy::read(document.as_bytes(), serde_json::from_str("{}").unwrap()).unwrap();
    let forms = FormJudge::new(FormPolicy::of(&policy.policy).unwrap(), b"{}", None);
    let mut judge = Judge::new(&policy, tz::TimeZone::utc()).with_forms(forms);
    let mut answer = String::new();
    judge.line(line.to_string().as_bytes(), || 0, &mut answer).unwrap();
    serde_json::from_str(&answer).unwrap()
}

proptest! {
    #[test]
    fn a_path_is_as_deep_in_an_argument_as_in_a_view(
        start in select(&["//", "//", "//depot/", "//depot/a/"][..]),
        tail in prop::collection::vec(
            select(&[
                "/", "/", "/", "a", "b", "depot", ".", "..", "...", "*", "%%", "%%0", "%%1", "%1", "%",
                "-", "\x01", "\x7f", "\u{a0}", "é",
            ][..]),
            0..25,
        ),
    ) {
        let path = format!("{start}{}", tail.concat());
        prop_assume!(has_wildcard(path.as_bytes()));
        let command = measured(&json!({"event": "command", "command": "files", "args": [path]}));
        let form = format!("Label:\tl\nView:\n\t{path}\n");
        let form = json!({"event": "form-save", "type": "label", "name": "l", "form": form});
        let label = measured(&form);
        let (of_command, of_label) = (&command["findings"][0], &label["findings"][0]);
        if command["verdict"] == "allow" {
            // Files of one directory, which a view's line may not name.
            let is_one = of_label["value"].as_u64().is_none_or(|depth| depth < 20);
            prop_assert!(is_one, "{path} {label}");
        } else {
            prop_assert_eq!(&label["verdict"], "refuse", "{}", path);
            prop_assert_eq!(&of_command["value"], &of_label["value"], "{}", path);
            let problem = of_label["problem"].as_str().unwrap_or_default().replacen("maps", "asks for", 1);
            prop_assert_eq!(of_command["problem"].as_str(), Some(&*problem), "{}", path);
        }
    }
}
