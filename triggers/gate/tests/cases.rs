//! Tests of the gate against case files in `tests/cases`, which the Python tests also run, such as
//! those of decisions, refusal texts and names of commands.

use p4warden_gate::ask::judge::{FormJudge, Judge, JudgedPolicy, Parts};
use p4warden_gate::base::visible::is_visible;
use p4warden_gate::home::off_mark::OffMark;
use p4warden_gate::judge::command_refusal;
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::paths::command_synonyms::SYNONYMS;
use p4warden_gate::rate::limits::in_words;
use p4warden_gate::rules::kinds;
use serde_json::{Value, json};
use std::error::Error;
use std::path::{Path, PathBuf};

type Outcome = Result<(), Box<dyn Error>>;

fn files(folder: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(folder);
    let paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    Ok(paths)
}

/// Reads a case file of the tests as JSON. Its strings may contain surrogate escapes, which Rust
/// strings cannot represent, so they are replaced.
fn read(path: &Path) -> Result<Value, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?.replace("\\udc", "\\u00dc");
    Ok(serde_json::from_str(&text)?)
}

/// An event of a test case as a JSON line for `judge`, with its surrogate escapes restored.
fn line(event: &Value) -> String {
    event.to_string().replace('\u{dc}', "\\udc")
}

/// The policy of a document's rules, never freed, so that the judge may borrow it.
fn policy_of(document: &Value) -> Result<&'static JudgedPolicy<'static>, Box<dyn Error>> {
    let facts = serde_json::from_str(facts_of(document))?;
    let mut policy = json!({"format": 1, "digest": "d", "contact": "c"});
    for part in ["rules", "exemptions", "pressure", "contact", "help_url"] {
        if let Some(value) = document.get(part) {
            policy[part] = value.clone();
        }
    }
    let policy: &str = policy.to_string().leak();
    Ok(Box::leak(Box::new(JudgedPolicy::read(policy.as_bytes(), facts)?)))
}

fn facts_of(document: &Value) -> &'static str {
    match &document["facts"] {
        Value::Null => "{}",
        facts => facts.to_string().leak(),
    }
}

fn judge<'p>(policy: &'p JudgedPolicy<'p>, document: &Value) -> Result<Judge<'p>, Box<dyn Error>> {
    let zone = tz::TimeZone::from_posix_tz(document["zone"].as_str().unwrap_or("UTC0"))?;
    let forms = FormPolicy::of(&policy.policy)?;
    let forms = FormJudge::new(forms, facts_of(document).as_bytes(), None);
    Ok(Judge::new(policy, zone).with_forms(forms))
}

fn ask(judge: &mut Judge<'_>, event: &Value) -> Result<Value, Box<dyn Error>> {
    let mut answer = String::new();
    judge.line(line(event).as_bytes(), || 0, &mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}

/// Of a case that `check` compares.
const KEYS: [&str; 10] = [
    "name", "times", "event", "verdict", "exemption", "rule", "retry_after_s", "delay_s", "would",
    "problem",
];

fn check(path: &Path, case: &Value, answer: &Value) {
    let name = format!("{}: {}\n{answer}", path.display(), case["name"]);
    assert_eq!(answer["verdict"], case["verdict"], "{name}");
    assert_eq!(!answer["exemption"].is_null(), case["exemption"] == true, "{name}");
    let is_known = |key: &&String| KEYS.contains(&key.as_str());
    assert!(case.as_object().is_some_and(|case| case.keys().all(|key| is_known(&key))), "{name}");
    for field in ["rule", "retry_after_s", "delay_s", "would"] {
        if let Some(expected) = case.get(field) {
            assert_eq!(plain(&answer[field]), plain(expected), "{field} of {name}");
        }
    }
    let is_unusual = |object: &Value| object["unusual"] == true;
    assert_eq!(is_unusual(&answer["findings"][0]), is_unusual(case), "unusual of {name}");
    let text = case["problem"].as_str().unwrap_or_default();
    assert!(answer["detail"].as_str().unwrap_or_default().contains(text), "{name}");
}

/// Normalizes the numbers in the JSON of a test case, so that `1` and `1.0` compare as equal.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Object(fields) => fields.iter().map(|(k, v)| (k.clone(), plain(v))).collect(),
        _ => value.as_f64().map_or_else(|| value.clone(), |number| json!(number)),
    }
}

/// A case file with a policy of its own.
fn document_of(path: &Path) -> Result<Value, Box<dyn Error>> {
    let document = read(path)?;
    let known = ["why", "rules", "exemptions", "pressure", "facts", "zone", "event", "cases"];
    let mut keys = document.as_object().ok_or("no object")?.keys();
    assert!(keys.all(|key| known.contains(&key.as_str())), "{}", path.display());
    Ok(document)
}

#[test]
fn rate_cases_give_the_expected_verdicts() -> Outcome {
    let mut files = files("rates")?;
    assert!(files.len() >= 30, "only {} files", files.len());
    files.extend(self::files("limit_concurrent_commands")?);
    for path in files {
        let document = document_of(&path)?;
        let policy = policy_of(&document)?;
        let mut judge = judge(policy, &document)?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            let mut event = json!({"event": "command", "command": "fstat", "user": "ann"});
            merge(&mut event, &document["event"]);
            merge(&mut event, &case["event"]);
            for _ in 1..case["times"].as_u64().unwrap_or(1) {
                assert_eq!(ask(&mut judge, &event)?["verdict"], case["verdict"], "{case}");
            }
            check(&path, case, &ask(&mut judge, &event)?);
        }
    }
    Ok(())
}

/// Test of the questions and shapes that rates count: of the spellings in a group, one command a day
/// is allowed, and each of `others` is counted apart.
#[test]
fn spellings_of_one_question_count_together() -> Outcome {
    let [path] = &files("questions")?[..] else { return Err("one file is wanted".into()) };
    for group in read(path)?["groups"].as_array().ok_or("no groups")? {
        let rule = json!({"name": "r", "rule": "limit_command_rate", "mode": "enforce",
            "commands": ["fstat", "files", group["event"]["command"]],
            "limits": [{"per": [group["by"]], "allow": "1/d"}]});
        let document = json!({"facts": group["facts"], "rules": [rule]});
        let policy = policy_of(&document)?;
        let mut judge = judge(policy, &document)?;
        let mut verdict = "allow";
        for (part, next) in [("spellings", "refuse"), ("others", "allow")] {
            for entry in group[part].as_array().ok_or("no entries")? {
                let mut event = json!({"event": "command", "user": "ann", "time": 1000});
                merge(&mut event, &group["event"]);
                merge(&mut event, entry);
                let answer = ask(&mut judge, &event)?;
                assert_eq!(answer["verdict"], verdict, "{} {entry}", group["name"]);
                verdict = next;
            }
            verdict = "allow";
        }
    }
    Ok(())
}

/// Test of the exemption cases, as commands and as forms. Each event comes once before, and the
/// policies allow one `fstat` a day and no view of a whole depot; so an event without an exemption is
/// refused.
#[test]
fn exemption_cases_give_the_expected_verdicts() -> Outcome {
    let fstat = json!({"event": "command", "command": "fstat"});
    let view = "Client:\ta-form\n\nView:\n\t//depot/... //a-form/...\n";
    let form = json!({"event": "form-save", "type": "client", "name": "a-form", "form": view});
    let (files, mut verdicts) = (files("exemptions")?, Vec::new());
    assert!(files.len() >= 15, "only {} files", files.len());
    for path in files {
        let document = document_of(&path)?;
        let policy = policy_of(&document)?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            for mut event in [fstat.clone(), form.clone()] {
                merge(&mut event, &case["event"]);
                let mut judge = judge(policy, &document)?;
                ask(&mut judge, &event)?;
                check(&path, case, &ask(&mut judge, &event)?);
            }
            verdicts.push(case["verdict"].clone());
        }
    }
    let count = |verdict: &str| verdicts.iter().filter(|one| **one == verdict).count();
    assert!(count("allow") >= 30 && count("refuse") >= 30 && count("observe") >= 1);
    Ok(())
}

/// Test of cases that only forms have, such as a form that cannot be read.
#[test]
fn form_verdict_cases_give_the_expected_verdicts() -> Outcome {
    let files = files("form_verdicts")?;
    assert!(files.len() >= 3, "only {} files", files.len());
    for path in files {
        let document = document_of(&path)?;
        let policy = policy_of(&document)?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            let mut event = json!({"event": "form-save", "type": "client", "name": "ws"});
            merge(&mut event, &case["event"]);
            check(&path, case, &ask(&mut judge(policy, &document)?, &event)?);
        }
    }
    Ok(())
}

/// Refused and allowed cases of a rule; for a new one as many as its recipe asks for.
fn fewest(rule: &str) -> (usize, usize) {
    match rule {
        "limit_command_scope" => (60, 30),
        "block_client_program" | "refuse_commands" | "require_command_options" => (15, 10),
        _ => (3, 5),
    }
}

/// Runs the test cases of a rule that keeps no rates; a case consists of fields of an event and
/// expected parts of the output of `judge`.
fn events_of(rule: &str) -> Outcome {
    let mut verdicts = Vec::new();
    for path in files(rule)? {
        let mut document = read(&path)?;
        let known = ["why", "mode", "settings", "facts", "event", "cases"];
        let mut keys = document.as_object().ok_or("no object")?.keys();
        assert!(keys.all(|key| known.contains(&key.as_str())), "{}", path.display());
        let mode = document["mode"].as_str().unwrap_or("enforce");
        let mut settings = document["settings"].clone();
        merge(&mut settings, &json!({"name": "the-rule", "rule": rule, "mode": mode}));
        document["rules"] = json!([settings]);
        let policy = policy_of(&document)?;
        let mut judge = judge(policy, &document)?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            let mut event = json!({"event": "command", "command": "fstat", "user": "ann"});
            merge(&mut event, &document["event"]);
            merge(&mut event, case);
            check_event(&path, case, &ask(&mut judge, &event)?);
            verdicts.push(case["verdict"].clone());
        }
    }
    let count = |verdict: &str| verdicts.iter().filter(|one| **one == verdict).count();
    let (refused, allowed) = fewest(rule);
    assert!(count("refuse") >= refused && count("allow") >= allowed, "{rule}");
    Ok(())
}

fn check_event(path: &Path, case: &Value, answer: &Value) {
    let name = format!("{}: {}\n{answer}", path.display(), case["name"]);
    let verdict = case["verdict"].as_str().unwrap_or_default();
    assert_eq!(answer["verdict"], verdict, "{name}");
    let rule = if verdict == "allow" { Value::Null } else { json!("the-rule") };
    assert_eq!(answer["rule"], rule, "{name}");
    let has_finding = matches!(verdict, "refuse" | "observe");
    let findings = answer["findings"].as_array().map(Vec::len);
    assert_eq!(findings, Some(usize::from(has_finding)), "{name}");
    assert_eq!([&answer["delay_s"], &answer["retry_after_s"]], [&Value::Null; 2], "{name}");
    let parts = [
        ("value", &answer["findings"][0]["value"]),
        ("limit", &answer["findings"][0]["limit"]),
        ("fix", &answer["fix"]),
    ];
    for (field, given) in parts {
        assert_eq!(given, case.get(field).unwrap_or(given), "{field} of {name}");
    }
    let text = case["problem"].as_str().unwrap_or_default();
    assert!(answer["detail"].as_str().unwrap_or_default().contains(text), "{name}");
}

fn merge(object: &mut Value, more: &Value) {
    for (key, value) in more.as_object().into_iter().flatten() {
        object[key] = value.clone();
    }
}

/// Of rules about commands, but for rates, and for rules whose cases need an index.
#[test]
fn cases_of_rules_about_commands_give_the_expected_verdicts() -> Outcome {
    for kind in kinds::all().filter(|kind| kind.events == ["command"]) {
        let is_run_elsewhere =
            ["limit_command_rate", "limit_concurrent_commands", "limit_scanned_rows"];
        if !is_run_elsewhere.contains(&kind.name) {
            events_of(kind.name)?;
        }
    }
    Ok(())
}

/// Test of the shared lists of characters that a refusal shows unescaped, and of those that it
/// escapes.
#[test]
fn visible_characters_match_the_shared_cases() -> Outcome {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let document = read(&cases.join("visible_characters.json"))?;
    let of = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
    let (visible, hidden) = (of("visible"), of("hidden"));
    assert!(visible.chars().count() > 10 && hidden.chars().count() > 20);
    assert!(visible.chars().all(is_visible));
    assert_eq!(hidden.chars().find(|character| is_visible(*character)), None);
    Ok(())
}

#[test]
fn rates_in_words_match_the_shared_cases() -> Outcome {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let document = read(&cases.join("rate_notation/words.json"))?;
    for (rate, words) in document.as_object().ok_or("no object")? {
        assert_eq!(Some(in_words(rate).as_str()), words.as_str(), "{rate}");
    }
    Ok(())
}

/// Test of refusal texts: about faults, forms and commands. A case with a `server` needs a checkpoint
/// index and is run by the Python tests only.
#[test]
fn refusal_texts_match_the_shared_cases() -> Outcome {
    let mut ran = 0;
    for path in files("refusals")? {
        let document = read(&path)?;
        for fault in document["faults"].as_array().into_iter().flatten() {
            assert_eq!(
                command_refusal::fault(fault["contact"].as_str()),
                text_of(fault),
                "{fault}"
            );
        }
        for case in document["cases"].as_array().into_iter().flatten() {
            for kind in ["form", "command"] {
                if !case["server"].is_null() || case[kind].is_null() {
                    continue;
                }
                let answer = refused(case, kind)?;
                let name = format!("{}: {} ({kind})", path.display(), case["name"]);
                let text = answer["text"].as_str().unwrap_or_default();
                assert_eq!(without_id(text), text_of(case).trim_end(), "{name}");
                assert!(text_of(case).len() <= command_refusal::MAX_TEXT_BYTES, "{name}");
                let summary = document.get("summary").unwrap_or(&answer["summary"]);
                assert_eq!(&answer["summary"], summary, "{name}");
                ran += 1;
            }
        }
    }
    assert!(ran >= 20, "only {ran} cases");
    Ok(())
}

/// The text without the id at its end, which is a hash.
fn without_id(text: &str) -> &str {
    let text = text.trim_end();
    text.rsplit_once(" id=").map_or(text, |(start, _)| start)
}

/// The expected refusal text of a test case, joined from the lines that the case lists.
fn text_of(case: &Value) -> String {
    let lines = case["text"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.map(|line| format!("{line}\n")).collect()
}

/// The last output of `judge` for a refusal test case's form or command, sent as often as the case
/// states.
fn refused(case: &Value, kind: &str) -> Result<Value, Box<dyn Error>> {
    let help_url = case.get("help_url").cloned();
    let help_url = help_url.unwrap_or_else(|| json!("https://wiki.example.com/p4-policy"));
    let contact = case["contact"].as_str().unwrap_or("Perforce admins <p4-admins@example.com>");
    let document = json!({"help_url": help_url, "contact": contact, "rules": [case[kind]["rule"]]});
    let policy = policy_of(&document)?;
    let mut judge = judge(policy, &document)?.with(Parts { has_texts: true, ..Parts::default() });
    let mut answer = Value::Null;
    for _ in 0..case["times"].as_u64().unwrap_or(1) {
        answer = ask(&mut judge, &case[kind]["event"])?;
    }
    Ok(answer)
}

/// Test of the table of command synonyms, and of the commands that a rule covers by a main name or
/// a synonym.
#[test]
fn command_names_match_the_shared_cases() -> Outcome {
    let [path] = &files("command_names")?[..] else { return Err("one file is wanted".into()) };
    let document = read(path)?;
    let listed = document["synonyms"].as_array().ok_or("no synonyms")?.iter();
    let listed = listed.map(|entry| ["name", "main", "added"].map(|key| entry[key].as_str()));
    let table = SYNONYMS.map(|(name, main, added)| [name, main, added].map(Some));
    assert!(listed.eq(table));
    for case in document["cases"].as_array().ok_or("no cases")? {
        let rule = json!({"name": "r", "rule": "block_client_program", "mode": "enforce",
            "commands": case["rule"], "programs": [{"program": "p"}]});
        let document = json!({"rules": [rule]});
        let mut event = json!({"event": "command", "command": case["command"], "prog": "p"});
        if !case["args"].is_null() {
            event["args"] = case["args"].clone();
        }
        let answer = ask(&mut judge(policy_of(&document)?, &document)?, &event)?;
        let is_covered = case["covered"].as_bool();
        let expected =
            is_covered.map_or("unknown", |is_covered| if is_covered { "refuse" } else { "allow" });
        assert_eq!(answer["verdict"], expected, "{case}\n{answer}");
    }
    Ok(())
}

#[test]
fn the_mark_off_is_in_effect_as_in_the_shared_cases() -> Outcome {
    for path in files("off_mark")? {
        let document = read(&path)?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            let number = |name: &str| case[name].as_i64().ok_or(format!("{name}: {case}"));
            let mode = u32::from_str_radix(case["mode"].as_str().ok_or("no mode")?, 8)?;
            let mark = OffMark {
                has_end: OffMark::has_end(mode),
                is_empty: true,
                made_ns: i128::from(number("made_s")?) * 1_000_000_000,
                end_ns: i128::from(number("end_s")?) * 1_000_000_000,
            };
            let now_ns = u64::try_from(number("now_s")?)? * 1_000_000_000;
            assert_eq!(Some(mark.is_in_effect(|| now_ns)), case["off"].as_bool(), "{case}");
        }
    }
    Ok(())
}
