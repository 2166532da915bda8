//! Tests that the limits and names that Rust and Python both state are those of
//! `tests/cases/limits`; `tests/sources/test_limits.py` is the Python side.

use p4warden_gate::ask::judge::MAX_LINE_BYTES;
use p4warden_gate::forms::form_parser::{MAX_FORM_BYTES, MAX_LINES, parse};
use p4warden_gate::home::folder::MAX_FILE_BYTES;
use p4warden_gate::home::state::COUNTERS;
use p4warden_gate::judge::policy_problems::problems;
use p4warden_gate::policy::document::Policy;
use p4warden_gate::policy::parts::Part;
use p4warden_gate::rate::queue::{MOST_LIMITS, MOST_WAITING_OF_A_USER};
use p4warden_gate::rate::waiting_slots::{MOST, MOST_OF_A_USER};
use p4warden_gate::rules::limit_scanned_rows::argument::ELSEWHERE;
use p4warden_gate::trigger::old_lines::DIGEST_BYTES;
use serde_json::{Value, json};

const LIMITS: &str = include_str!("../../../tests/cases/limits/limits.json");

type Outcome = Result<(), serde_json::Error>;

fn limits(concept: &str) -> Result<Value, serde_json::Error> {
    let document: Value = serde_json::from_str(LIMITS)?;
    Ok(document[concept].clone())
}

/// Whether the gate accepts a minimal `policy.json` after the given changes of its keys.
fn accepts(changes: Value) -> bool {
    let mut document = json!({"format": 1, "digest": "d", "contact": "c", "rules": []});
    if let (Some(document), Value::Object(changes)) = (document.as_object_mut(), changes) {
        document.extend(changes);
    }
    Policy::read(document.to_string().as_bytes()).is_ok_and(|policy| problems(&policy).is_empty())
}

#[test]
fn the_length_of_the_trigger_line_digest_matches_the_shared_limits() -> Outcome {
    assert_eq!(limits("digest of trigger lines")?, json!({"digits": DIGEST_BYTES}));
    Ok(())
}

#[test]
fn the_largest_home_file_matches_the_shared_limits() -> Outcome {
    assert_eq!(limits("size of a file of the home")?, json!({"max_bytes": MAX_FILE_BYTES}));
    Ok(())
}

#[test]
fn larger_forms_have_a_problem_that_names_the_limit() {
    let problem = |text: &[u8]| parse(text).err().map(|problem| problem.to_string());
    let lines = |count: usize| format!("A: b{}", "\n".repeat(count));
    assert_eq!(problem(lines(MAX_LINES - 1).as_bytes()), None);
    let limits_of_forms = json!({
        "max_bytes": MAX_FORM_BYTES,
        "too large": problem(&vec![b'x'; MAX_FORM_BYTES + 1]),
        "max_lines": MAX_LINES,
        "too long": problem(lines(MAX_LINES).as_bytes()),
    });
    let expected = json!({
        "max_bytes": 4_194_304,
        "too large": "is over 4 MiB; remove lines, or split it",
        "max_lines": 50_000,
        "too long": "has over 50,000 lines; remove lines, or split it",
    });
    assert_eq!(limits_of_forms, expected);
}

#[test]
fn the_longest_line_of_judge_matches_the_shared_limits() -> Outcome {
    assert_eq!(limits("lines of `evaluate`")?, json!({"max_bytes": MAX_LINE_BYTES}));
    Ok(())
}

#[test]
fn counter_names_match_the_shared_limits() -> Outcome {
    assert_eq!(limits("counters of the gate")?["names"], json!(COUNTERS));
    Ok(())
}

#[test]
fn the_policy_format_matches_the_shared_limits() -> Outcome {
    let limits = limits("version of `policy.json`")?;
    assert!(accepts(json!({"format": limits["format"]})));
    let later = json!({"format": 2, "digest": "d", "contact": "c", "rules": []});
    let problem = Policy::read(later.to_string().as_bytes()).err();
    assert_eq!(problem.as_deref(), limits["of format 2"].as_str());
    Ok(())
}

#[test]
fn the_numbers_of_waiting_commands_match_the_shared_limits() -> Outcome {
    let actual_limits = json!({"max_count": MOST, "max_of_a_user": MOST_OF_A_USER});
    assert_eq!(limits("commands that wait")?, actual_limits);
    Ok(())
}

#[test]
fn limits_of_commands_at_once_equal_the_case_file() -> Outcome {
    let actual_limits = json!({
        "max_waiting": MOST,
        "max_waiting_of_a_user": MOST_WAITING_OF_A_USER,
        "max_limits": MOST_LIMITS,
    });
    assert_eq!(limits("commands at once")?, actual_limits);
    Ok(())
}

#[test]
fn the_key_parts_of_a_rate_match_the_shared_limits() -> Outcome {
    let names = limits("parts that a rate counts by")?["names"].clone();
    let parts: Vec<Part> = serde_json::from_value(names)?;
    use Part::{Args, Client, Ip, Program, Shape, User};
    assert_eq!(parts, [User, Client, Ip, Program, Args, Shape]);
    Ok(())
}

#[test]
fn the_largest_min_depth_matches_the_shared_limits() -> Outcome {
    let deepest = limits("deepest path that a policy requires")?["directories"].as_u64();
    let deepest = deepest.unwrap_or(0);
    for (min_depth, of_depot, accepted) in
        [(deepest, deepest, true), (deepest + 1, 1, false), (1, deepest + 1, false)]
    {
        let rule = json!({"name": "r", "rule": "limit_command_scope", "mode": "enforce",
            "commands": ["fstat"], "min_depth": min_depth, "depots": {"a": of_depot}});
        assert_eq!(accepts(json!({"rules": [rule]})), accepted, "{min_depth} {of_depot}");
    }
    Ok(())
}

#[test]
fn depot_types_without_indexed_files_match_the_shared_limits() -> Outcome {
    let [remote, graph] = ELSEWHERE;
    let actual_limits = json!({"remote": remote, "graph": graph});
    assert_eq!(limits("depots whose files an index lacks")?, actual_limits);
    Ok(())
}
