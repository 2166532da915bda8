//! Tests of the lines that the gate writes to decisions.jsonl.

mod form_facts;

use p4warden_gate::ask::judge::{Judge, JudgedPolicy};
use p4warden_gate::base::fault::Fault;
use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::event::command_event::Event;
use p4warden_gate::event::form_event::{FormEvent, FormEventKind};
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::facts::document::FactsDocument;
use p4warden_gate::facts::known_depots::KnownDepots;
use p4warden_gate::forms::form_parser::parse;
use p4warden_gate::home::decision_log::{LoggedPolicy, decision, fault};
use p4warden_gate::home::form_record::FormRecord;
use p4warden_gate::judge::form_decision::{MAX_FINDINGS, judge};
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::judge::form_standing::standings;
use p4warden_gate::policy::document::Policy;
use p4warden_gate::policy::pressure::Load;
use serde_json::{Map, Value, json};
use std::error::Error;
use std::ffi::OsString;

type Outcome = Result<(), Box<dyn Error>>;

const RECORDS: &str = include_str!("../../../tests/cases/decision_records/records.json");
const FIELDS: &str = include_str!("../../../tests/cases/decision_records/fields.json");
const WALL_NS: u64 = 1_800_000_000_123_456_789;

/// Parses a line of the decision log, and checks the order and the JSON type of every field and the
/// value of `time`; returns the fields other than `time`.
fn fields(line: &str) -> Result<Map<String, Value>, Box<dyn Error>> {
    let listed: Value = serde_json::from_str(FIELDS)?;
    let mut fields: Map<String, Value> = serde_json::from_str(line)?;
    let (mut place, mut checked) = (0, 0);
    for field in listed["fields"].as_array().ok_or("no fields")? {
        let [name, kind] = [0, 1].map(|at| field[at].as_str().unwrap_or_default());
        let Some(value) = fields.get(name) else { continue };
        assert!(is_a(kind, value), "{name} is no {kind}: {line}");
        let at = line.find(&format!("\"{name}\": ")).ok_or(format!("{name}: {line}"))?;
        assert!(at > place, "{name} is out of order: {line}");
        (place, checked) = (at, checked + 1);
    }
    assert_eq!(checked, fields.len(), "{line}");
    assert_eq!(fields.remove("time"), Some(json!(1_800_000_000.123)));
    Ok(fields)
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "text" => value.is_string(),
        "number" => value.is_number(),
        "number or text" => value.is_number() || value.is_string(),
        _ => *value == true,
    }
}

#[test]
fn records_of_commands_match_the_shared_cases() -> Outcome {
    let records: Value = serde_json::from_str(RECORDS)?;
    for case in records["commands"].as_array().ok_or("no commands")? {
        let document = json!({"format": 1, "digest": "0".repeat(64), "contact": "c",
            "rules": [case["rule"]]});
        let document = document.to_string();
        let policy = JudgedPolicy::read(document.as_bytes(), FactsDocument::default())?;
        let mut judge = Judge::new(&policy, tz::TimeZone::utc());
        let text = |name: &str| case["event"][name].as_str().map(str::as_bytes);
        let args = case["event"]["args"][0].as_str().map(str::as_bytes);
        let command = text("command").ok_or("no command")?;
        let event = Event {
            user: text("user"),
            client: text("client"),
            ip: text("ip"),
            prog: text("prog"),
            version: text("version"),
            args,
            is_trial: case["trial"] == true,
            is_tampered: case["tampered"] == true,
            load: Load::LOW,
            ..Event::unknown(command, &String::new)
        };
        let mut outcome = judge.decide(&event, WALL_NS);
        for _ in 1..case["times"].as_u64().unwrap_or(1) {
            outcome = judge.decide(&event, WALL_NS);
        }
        let digest = "0".repeat(64);
        let policy =
            LoggedPolicy { digest: &digest, class: case["class"].as_str(), log_arguments: true };
        let line = decision(&event, &outcome, policy, 1, Some(1_234_567_890), WALL_NS);
        let mut fields = fields(&line)?;
        assert_eq!(fields.remove("took_s"), Some(json!(1.234567)));
        assert_eq!(Some(&fields), case["record"].as_object(), "{}", case["name"]);
        let again = decision(&event, &outcome, policy, 7, Some(0), WALL_NS);
        assert!(again.ends_with(", \"took_s\": 0, \"count\": 7}\n"), "{again}");
    }
    Ok(())
}

#[test]
fn records_of_forms_match_the_shared_cases() -> Outcome {
    let records: Value = serde_json::from_str(RECORDS)?;
    for case in records["forms"].as_array().ok_or("no forms")? {
        let exemptions = case.get("exemptions").cloned().unwrap_or(json!([]));
        let document = json!({"format": 1, "digest": "", "contact": "c", "rules": [case["rule"]],
            "exemptions": exemptions});
        let document = document.to_string();
        let policy = FormPolicy::of(&Policy::read(document.as_bytes())?)?;
        let event = &case["event"];
        let text = |name: &str| event[name].as_str().map(str::as_bytes);
        let kind = FormEventKind::of_word(text("event").ok_or("no event")?).ok_or("no kind")?;
        let event = FormEvent {
            form_type: text("type"),
            name: text("name"),
            user: text("user"),
            client: text("client"),
            ip: text("ip"),
            prog: text("prog"),
            version: text("version"),
            form: text("form").map(parse),
            change: text("change"),
            is_trial: case["trial"] == true,
            ..FormEvent::unknown(kind, &|| "2026-11-21".to_owned())
        };
        let split = SplitLine::of_form(&event);
        let event = split.form_event(event);
        let depots = KnownDepots::default();
        let facts = form_facts::facts(&depots);
        let standings = standings(&policy, &event, facts.case_sensitive);
        let outcome = judge(&standings, &event, &facts, Some(MAX_FINDINGS));
        let digest = "0".repeat(64);
        let record = FormRecord {
            event: &event,
            outcome: &outcome,
            digest: &digest,
            class: case["class"].as_str(),
            trouble: None,
        };
        let mut fields = fields(&record.line(1, 1_234_567_890, WALL_NS))?;
        assert_eq!(fields.remove("took_s"), Some(json!(1.234567)));
        assert_eq!(Some(&fields), case["record"].as_object(), "{}", case["name"]);
        let trouble = Some("t");
        let again = FormRecord { trouble, ..record }.line(7, 0, WALL_NS);
        assert!(again.ends_with(", \"trouble\": \"t\", \"took_s\": 0, \"count\": 7}\n"), "{again}");
    }
    Ok(())
}

#[test]
fn records_of_faults_match_the_shared_cases() -> Outcome {
    let records: Value = serde_json::from_str(RECORDS)?;
    for case in records["faults"].as_array().ok_or("no faults")? {
        let options = case["given"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let words: Vec<_> = options.map(OsString::from).collect();
        let cause = Fault::new(case["fault"].as_str().ok_or("no fault")?);
        let line = fault(&Arguments::parse(&words), case["refuses"] == true, &cause, 1, WALL_NS);
        assert_eq!(Some(&fields(&line)?), case["record"].as_object(), "{}", case["name"]);
    }
    Ok(())
}
