//! Tests of small functions and tables that exist in Python and in Rust, against case files that
//! both test suites run; `tests/sources/test_shared_cases.py` is the Python side.

use p4warden_gate::ask::judge::{FormJudge, Judge, JudgedPolicy};
use p4warden_gate::base::sums::without_sums;
use p4warden_gate::event::command_event::{Event, groups_of, is_rescue};
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::event::trigger_options::{
    FORM, LINE_END, MAY_BE_ABSENT, OPTIONS, USERS, options_of,
};
use p4warden_gate::facts::depots::Depots;
use p4warden_gate::facts::document::FactsDocument;
use p4warden_gate::home::decision_log::append;
use p4warden_gate::home::folder::{
    ACCOUNT, DECISIONS, DEFAULT, FACTS, Home, INDEX, LINES_DIGEST, OFF, OLD_LINES, POLICY, SAVED,
    STATE, TRIAL,
};
use p4warden_gate::home::trial_client::is_trial;
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::paths::client_version::Version;
use p4warden_gate::paths::depot_path::{UnmeasurablePath, span};
use p4warden_gate::proposals::choice::sentences_for_arguments;
use p4warden_gate::rate::limits::{duration_ns, notation, rate};
use p4warden_gate::rules::limit_scanned_rows::access_of;
use p4warden_gate::trigger::answer::Answer;
use serde_json::{Value, json};
use std::error::Error;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

type Outcome = Result<(), Box<dyn Error>>;

fn document(path: &str) -> Result<Value, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    Ok(serde_json::from_str(&fs::read_to_string(folder.join(path))?)?)
}

fn cases(path: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    Ok(document(path)?["cases"].as_array().ok_or("no cases")?.clone())
}

fn words(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn mode(octal: &str) -> Result<Permissions, Box<dyn Error>> {
    Ok(Permissions::from_mode(u32::from_str_radix(octal, 8)?))
}

#[test]
fn sums_of_files_match_the_shared_cases() -> Outcome {
    for case in cases("sums/files.json")? {
        let file = case["file"].as_str().ok_or("no file")?;
        let object = without_sums(file.as_bytes().to_vec());
        match case["object"].as_str() {
            Some(text) => assert_eq!(object?, text.as_bytes(), "{case}"),
            None => assert_eq!(object, Err("it is not as p4warden wrote it".to_owned()), "{case}"),
        }
    }
    Ok(())
}

#[test]
fn groups_of_a_user_match_the_shared_cases() -> Outcome {
    for case in cases("user_groups/groups.json")? {
        let text = case["text"].as_str().ok_or("no text")?;
        let groups: Result<Vec<_>, _> = groups_of(text.as_bytes()).map(str::from_utf8).collect();
        assert_eq!(groups?, words(&case["groups"]), "{case}");
    }
    Ok(())
}

#[test]
fn trial_clients_match_the_shared_cases() -> Outcome {
    for case in cases("trial_client/announcements.json")? {
        let folder = tempfile::tempdir()?;
        if let Some(text) = case["file"].as_str() {
            fs::write(folder.path().join(TRIAL), text)?;
            fs::set_permissions(folder.path().join(TRIAL), mode("600")?)?;
        }
        let client = case["client"].as_str().map(str::as_bytes);
        let now_ns = case["now_s"].as_u64().ok_or("no time")? * 1_000_000_000;
        let is_one = is_trial(&Home::at(folder.path()), client, now_ns);
        assert_eq!(Some(is_one), case["trial"].as_bool(), "{case}");
    }
    Ok(())
}

/// Creates `decisions.jsonl` in a test's home folder as the case describes it: a file with access
/// rights and owner, a directory, a pipe, a link, or nothing.
fn make(home: &Path, case: &Value) -> Outcome {
    let (file, text) = (home.join(DECISIONS), |name: &str| case[name].as_str());
    let owner = |name: &str| case[name].as_u64().and_then(|owner| u32::try_from(owner).ok());
    match text("kind").unwrap_or("file") {
        "file" => {
            fs::write(&file, "{}\n")?;
            fs::set_permissions(&file, mode(text("mode").ok_or("no mode")?)?)?;
            chown(&file, owner("owner"), None)?;
        }
        "directory" => fs::create_dir(&file)?,
        "pipe" => {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mkfifoat(rustix::fs::CWD, &file, mode)?;
        }
        "missing" => {}
        kind => {
            symlink("elsewhere", &file)?;
            if kind == "link" {
                fs::write(home.join("elsewhere"), "{}\n")?;
            }
        }
    }
    fs::set_permissions(home, mode(text("folder_mode").unwrap_or("700"))?)?;
    Ok(chown(home, owner("folder_owner"), None)?)
}

#[test]
fn trust_in_home_files_matches_the_shared_cases() -> Outcome {
    let is_root = rustix::process::geteuid().is_root();
    for case in cases("home_trust/files.json")? {
        let has_other_owner = !case["owner"].is_null() || !case["folder_owner"].is_null();
        if has_other_owner && !is_root {
            continue;
        }
        let folder = tempfile::tempdir()?;
        make(folder.path(), &case)?;
        let home = Home::at(folder.path());
        match home.open(DECISIONS) {
            Ok(opened) => {
                assert_eq!(case["readable"], true, "{case}");
                assert_eq!(opened.bytes, 3, "{case}");
            }
            Err(fault) => {
                let problem = case["problem"].as_str().ok_or(format!("{fault}: {case}"))?;
                assert!(fault.to_string().contains(problem), "{fault}: {case}");
            }
        }
        let is_written = append(&home, "{}\n").is_ok();
        assert_eq!(Some(is_written), case["written"].as_bool(), "{case}");
    }
    Ok(())
}

fn policy_of(rule: &Value) -> String {
    json!({"format": 1, "digest": "d", "contact": "c", "rules": [rule]}).to_string()
}

fn verdict(policy: &str, event: &Value) -> Result<Value, Box<dyn Error>> {
    let policy = JudgedPolicy::read(policy.as_bytes(), FactsDocument::default())?;
    let forms = FormJudge::new(FormPolicy::of(&policy.policy)?, b"{}", None);
    let mut judge = Judge::new(&policy, tz::TimeZone::utc()).with_forms(forms);
    let mut answer = String::new();
    judge.line(event.to_string().as_bytes(), || 0, &mut answer)?;
    let answer: Value = serde_json::from_str(&answer)?;
    Ok(answer["verdict"].clone())
}

#[test]
fn never_limited_commands_match_the_shared_cases() -> Outcome {
    let listed = document("never_limited/commands.json")?;
    for (kind, never) in [("never", true), ("limited", false)] {
        let names = words(&listed[kind]);
        assert!(names.len() >= 30, "{kind}: {names:?}");
        for name in names {
            assert_eq!(is_rescue(name.as_bytes()), never, "{name}");
            let rule = json!({"name": "r", "rule": "block_client_program", "mode": "enforce",
                "commands": [name], "programs": [{"program": "*"}]});
            for command in [(*name).to_owned(), format!("user-{name}")] {
                let event =
                    json!({"event": "command", "command": command, "prog": "x", "args": []});
                let answer = verdict(&policy_of(&rule), &event)?;
                assert_eq!(answer, if never { "allow" } else { "refuse" }, "{command}");
            }
        }
    }
    Ok(())
}

#[test]
fn trigger_line_options_match_the_shared_cases() -> Outcome {
    let listed = document("trigger_options/options.json")?;
    assert_eq!(listed["form"].as_str().map(str::as_bytes), Some(FORM));
    let end = format!("--end={}", listed["end"].as_str().ok_or("no end")?);
    assert_eq!(end.as_bytes(), LINE_END);
    assert_eq!(words(&listed["order"]), OPTIONS.map(|(name, _)| name));
    assert_eq!(words(&listed["users"]), USERS);
    assert_eq!(words(&listed["may_be_absent"]), MAY_BE_ABSENT);
    for entry in listed["events"].as_array().ok_or("no events")? {
        let event = entry["event"].as_str().ok_or("no event")?;
        assert_eq!(words(&entry["options"]), options_of(event.as_bytes()), "{event}");
    }
    Ok(())
}

#[test]
fn dictionary_answers_match_the_shared_cases() -> Outcome {
    for case in cases("dictionary_answers/answers.json")? {
        let text = case["text"].as_str().map(str::to_owned);
        let answer = text.map_or(Answer::GoOn, Answer::Refuse);
        assert_eq!(Some(answer.dictionary().as_str()), case["answer"].as_str(), "{case}");
    }
    Ok(())
}

#[test]
fn spans_of_depot_paths_match_the_shared_cases() -> Outcome {
    for case in cases("depot_paths/spans.json")? {
        let path = case["path"].as_str().ok_or("no path")?;
        let measured = match span(path.as_bytes()) {
            Ok(span) => {
                let [depot, directories] = [span.depot, span.directories].map(str::from_utf8);
                let directories: Vec<_> =
                    directories?.split('/').filter(|n| !n.is_empty()).collect();
                assert_eq!(span.depth, directories.len() as u64, "{case}");
                json!({"path": path, "depot": depot?, "directories": directories})
            }
            Err(UnmeasurablePath::EveryDepot) => json!({"path": path, "problem": "every depot"}),
            Err(UnmeasurablePath::Malformed(problem)) => json!({"path": path, "problem": problem}),
            Err(UnmeasurablePath::Local) => json!({"path": path, "problem": "local"}),
        };
        assert_eq!(measured, case);
    }
    Ok(())
}

#[test]
fn advice_on_placeholders_matches_the_shared_cases() -> Outcome {
    for case in cases("placeholders/how_to_choose.json")? {
        let path = case["path"].as_str().ok_or("no path")?.to_owned();
        let advice: Vec<_> = case["advice"].as_str().into_iter().collect();
        assert_eq!(sentences_for_arguments(&[path]), advice, "{case}");
    }
    Ok(())
}

#[test]
fn event_lines_match_the_shared_cases() -> Outcome {
    let rule = json!({"name": "r", "rule": "block_client_program", "mode": "enforce",
        "commands": ["fstat"], "programs": [{"program": "*"}]});
    let policy = policy_of(&rule);
    for case in cases("event_lines/lines.json")? {
        let read = verdict(&policy, &case["line"]);
        assert_eq!(Some(read.is_ok()), case["event"].as_bool(), "{case}: {read:?}");
        if let (Err(error), Some(problem)) = (read, case["problem"].as_str()) {
            assert!(error.to_string().contains(problem), "{case}: {error}");
        }
    }
    Ok(())
}

#[test]
fn program_versions_match_the_shared_cases() -> Outcome {
    for case in cases("client_versions/versions.json")? {
        let text = case["text"].as_str().ok_or("no text")?;
        let is_one = Version::parse(text.as_bytes()).is_some();
        assert_eq!(Some(is_one), case["version"].as_bool(), "{case}");
    }
    Ok(())
}

#[test]
fn names_of_home_files_match_the_shared_cases() -> Outcome {
    let listed = document("home_files/names.json")?;
    let names = json!({"why": listed["why"], "folder": DEFAULT, "off": OFF, "trial": TRIAL,
        "decisions": DECISIONS, "state": STATE, "index": INDEX,
        "saved_forms": SAVED, "old_lines": OLD_LINES, "lines_digest": LINES_DIGEST,
        "policy": POLICY, "facts": FACTS, "account": ACCOUNT});
    assert_eq!(listed, names);
    Ok(())
}

#[test]
fn facts_documents_match_the_shared_cases() -> Outcome {
    for case in cases("facts_documents/documents.json")? {
        let read = serde_json::from_str(case["text"].as_str().ok_or("no text")?);
        if case["readable"] == false {
            assert!(read.is_err(), "{case}");
            continue;
        }
        let facts: FactsDocument = read?;
        assert_eq!(Some(facts.case_sensitive.unwrap_or(true)), case["case_sensitive"].as_bool());
        assert_eq!(Some(facts.unicode.unwrap_or(false)), case["unicode"].as_bool(), "{case}");
        assert_eq!(facts.server_id.as_deref(), case["server_id"].as_str(), "{case}");
        let depots: Vec<_> = Depots::of(&facts.depots).into_iter().flatten().collect();
        let listed = words(&case["depots"]);
        assert_eq!(depots, listed.iter().map(|name| name.as_bytes()).collect::<Vec<_>>(), "{case}");
    }
    Ok(())
}

/// Test that the gate lists the depots of `facts.json` with those of types that users map into
/// clients first, whatever their names.
#[test]
fn depot_types_match_the_shared_cases() -> Outcome {
    for case in cases("depot_types/types.json")? {
        let facts = json!({"depots": {"a": {"type": case["type"]}, "b": {"type": "local"}}});
        let facts = facts.to_string();
        let facts: FactsDocument<'_> = serde_json::from_str(&facts)?;
        let first = Depots::of(&facts.depots).and_then(|mut depots| depots.next());
        assert_eq!(Some(first == Some(b"a")), case["mapped"].as_bool(), "{case}");
    }
    Ok(())
}

/// An `fstat` event with the user, client and program of the test case; the remaining fields do not
/// affect the test.
fn event<'e>(case: &'e Value, day: &'e dyn Fn() -> String) -> Event<'e> {
    let name_of = |name: &str| case["names"][name].as_str().map(str::as_bytes);
    Event {
        user: name_of("user"),
        client: name_of("client"),
        prog: name_of("prog"),
        args: Some(b"//depot/main/..."),
        ..Event::unknown(b"fstat", day)
    }
}

#[test]
fn names_of_a_rehearsed_event_match_the_shared_cases() -> Outcome {
    for case in cases("split_lines/names.json")? {
        let plain = event(&case, &String::new);
        let split = SplitLine::of(&plain);
        let event = split.event(plain.clone());
        assert_eq!(Some(event.is_tampered), case["tampered"].as_bool(), "{case}");
        let names = [("user", event.user), ("client", event.client), ("prog", event.prog)];
        for (name, value) in names {
            assert_eq!(value, case["event"][name].as_str().map(str::as_bytes), "{name} of {case}");
        }
    }
    Ok(())
}

#[test]
fn commands_with_an_estimate_match_the_shared_cases() -> Outcome {
    let listed = document("estimated_commands/commands.json")?;
    for (kind, is_estimated) in [("estimated", true), ("others", false)] {
        for name in words(&listed[kind]) {
            assert_eq!(access_of(name.as_bytes()).is_some(), is_estimated, "{name}");
        }
    }
    Ok(())
}

#[test]
fn rate_notations_match_the_shared_cases() -> Outcome {
    let intervals = document("rate_notation/intervals.json")?;
    for (text, interval_ns) in intervals.as_object().ok_or("no object")? {
        let parsed_ns = rate(text, 1).map(|rate| rate.interval_ns);
        assert_eq!(parsed_ns, interval_ns.as_u64(), "{text}");
        assert_eq!(&notation(text), text);
    }
    for listed in document("rate_notation/rates.json")?.as_object().ok_or("no object")?.values() {
        assert!(listed.as_str().is_none_or(|text| intervals.get(text).is_some()), "{listed}");
    }
    for listed in document("rate_notation/durations.json")?.as_object().ok_or("none")?.values() {
        assert!(listed.as_str().is_none_or(|text| duration_ns(text).is_some()), "{listed}");
    }
    Ok(())
}
