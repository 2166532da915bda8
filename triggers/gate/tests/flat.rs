//! Tests of the format of `gate.policy`: data written is read back unchanged, and damage is
//! detected.

use p4warden_gate::base::bytes::{CorruptData, Writer};
use p4warden_gate::policy::compiled::{
    Canary, Depots, Extras, Front, Kind, Mode, PREFIX_BYTES, Patterns, Prefix, Rules, encode,
};
use p4warden_gate::policy::document::{Part, Policy};
use proptest::prelude::*;
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const PARTS: [&str; 6] = ["user", "client", "ip", "program", "args", "shape"];

fn flat(policy: &Value) -> Result<Vec<u8>, String> {
    let policy = Policy::from_json(policy.to_string().as_bytes())?;
    let worker = Some("/opt/worker.py".to_owned());
    Ok(encode(&policy, &Extras { worker, ..Extras::new(false) }))
}

/// Decodes the digest, the contact and the given commands' rules `limit_command_rate` from a
/// `gate.policy` into lines of text that the tests can compare.
fn read_all(bytes: &[u8], commands: &[&str]) -> Result<Vec<String>, CorruptData> {
    let prefix = Prefix::read(bytes)?;
    if prefix.whole_bytes != bytes.len() as u64 {
        return Err(CorruptData);
    }
    let front = Front::read(&prefix, bytes.get(PREFIX_BYTES..).ok_or(CorruptData)?)?;
    let mut lines = vec![format!("{} {}", front.digest, front.contact)];
    for command in commands {
        let Some(place) = front.command(command.as_bytes())? else { continue };
        let (rules, exemptions) = (place.rules.part_of(bytes)?, place.exemptions.part_of(bytes)?);
        let rules = Rules::read(rules, exemptions)?;
        for rule in &rules.rules {
            let exemptions: Vec<_> =
                rule.exemptions().filter_map(|number| rules.exemption(number)).collect();
            let exemptions: Vec<_> =
                exemptions.iter().map(|e| String::from_utf8_lossy(e.reason)).collect();
            let Kind::Rate(rates) = &rule.kind else { continue };
            let (mode, max_ns) = (mode(&rule.mode), rates.max_delay_ns);
            let (name, advice) = (rule.name, rule.advice);
            lines.push(format!("{command} {name} {advice:?} {mode} {max_ns} {exemptions:?}"));
            for limit in rates.limits() {
                let parts: Vec<Part> = limit.parts.iter().collect();
                let (allow, burst, level) = (limit.allow(), limit.burst, limit.min_level.word());
                lines.push(format!("{parts:?} {allow} {burst} {level} {:?}", limit.rate));
            }
        }
    }
    Ok(lines)
}

fn mode(mode: &Mode<'_>) -> String {
    match mode {
        Mode::Observe => "observe".to_owned(),
        Mode::Enforce => "enforce".to_owned(),
        Mode::Canary(Canary { users, groups }) => {
            format!("canary {:?} {:?}", users.map(texts), groups.map(texts))
        }
    }
}

fn texts(patterns: Patterns<'_>) -> Vec<String> {
    patterns.iter().map(|pattern| String::from_utf8_lossy(pattern).into_owned()).collect()
}

fn policies() -> impl Strategy<Value = Value> {
    let limit = (0_u8..64, 1_u64..100, 1_u64..100, 1_u64..10, 0_usize..4).prop_map(
        |(parts, count, period, burst, level)| {
            let per: Vec<_> =
                (0..6).filter(|bit| parts >> bit & 1 == 1).map(|bit| PARTS[bit]).collect();
            let level = [None, Some("low"), Some("medium"), Some("high")][level];
            // `gate.policy` contains each rate in short notation, so the test's policy is written
            // in that notation.
            let allow = match period {
                1 => format!("{count}/s"),
                60 => format!("{count}/m"),
                _ => format!("{count}/{period}s"),
            };
            json!({"per": per, "allow": allow, "burst": burst, "when_pressure": level})
        },
    );
    let commands = prop::sample::subsequence(vec!["fstat", "files", "sync"], 1..=3);
    let modes = prop::sample::select(vec!["off", "observe", "enforce"]);
    let patterns = || prop::option::of(prop::collection::vec(".{0,5}", 0..3));
    let canary = (patterns(), patterns());
    let canary = canary.prop_map(|(users, groups)| json!({"users": users, "groups": groups}));
    let modes = (modes, prop::option::of(canary), prop::option::of(".{0,5}"));
    let rule = (commands, prop::collection::vec(limit, 1..4), modes, any::<bool>());
    let rules = prop::collection::vec(rule, 0..6).prop_map(|rules| {
        let rules = rules.into_iter().enumerate();
        let rules = rules.map(|(number, (commands, limits, (mode, canary, advice), delay))| {
            let (action, max) = if delay { ("delay", Some("2s")) } else { ("refuse", None) };
            json!({"name": format!("rule{number}"), "rule": "limit_command_rate", "mode": mode,
                   "commands": commands, "limits": limits, "action": action, "max_delay": max,
                   "canary": canary, "advice": advice})
        });
        rules.collect::<Vec<_>>()
    });
    let exemption = (0_usize..6, ".{0,9}").prop_map(|(rule, user)| {
        let rules = (rule < 5).then(|| [format!("rule{rule}")]);
        json!({"reason": format!("for {rule}"), "owner": "o", "users": [user], "rules": rules})
    });
    (rules, prop::collection::vec(exemption, 0..5)).prop_map(|(rules, exemptions)| {
        json!({"format": 1, "digest": "d", "contact": "c", "on_error": "deny", "rules": rules,
               "exemptions": exemptions, "pressure": {"medium": 40, "high": 80}})
    })
}

/// The lines of text that the decoder `read_all` of these tests is expected to return for a
/// `gate.policy`, derived from the policy document from which the file was written.
fn expected_lines(policy: &Value, commands: &[&str]) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut lines = vec!["d c".to_owned()];
    for command in commands {
        for rule in list(&policy["rules"]) {
            if rule["mode"] == "off" || !list(&rule["commands"]).contains(&json!(command)) {
                continue;
            }
            let mode = expected_mode(&rule);
            let max_ns = if rule["action"] == "delay" { 2_000_000_000_u64 } else { 0 };
            let concerns = |entry: &Value| {
                entry["rules"].is_null() || list(&entry["rules"]).contains(&rule["name"])
            };
            let reasons: Vec<_> =
                list(&policy["exemptions"]).into_iter().filter(concerns).collect();
            let reasons: Vec<_> =
                reasons.iter().filter_map(|entry| entry["reason"].as_str()).collect();
            let name = rule["name"].as_str().unwrap_or_default();
            let advice = rule["advice"].as_str();
            lines.push(format!("{command} {name} {advice:?} {mode} {max_ns} {reasons:?}"));
            lines.extend(list(&rule["limits"]).iter().map(expected_limit));
        }
    }
    lines
}

fn expected_mode(rule: &Value) -> String {
    if rule["mode"] != "enforce" || rule["canary"].is_null() {
        return rule["mode"].as_str().unwrap_or_default().to_owned();
    }
    let texts = |field: &str| -> Option<Vec<String>> {
        let patterns = rule["canary"][field].as_array()?.iter();
        Some(patterns.filter_map(Value::as_str).map(str::to_owned).collect())
    };
    format!("canary {:?} {:?}", texts("users"), texts("groups"))
}

fn expected_limit(limit: &Value) -> String {
    let parts = [Part::User, Part::Client, Part::Ip, Part::Program, Part::Args, Part::Shape];
    let counts_by =
        |name: &str| limit["per"].as_array().is_some_and(|per| per.contains(&json!(name)));
    let parts: Vec<_> =
        parts.iter().zip(PARTS).filter(|(_, name)| counts_by(name)).map(|(p, _)| p).collect();
    let (allow, burst) =
        (limit["allow"].as_str().unwrap_or(""), limit["burst"].as_u64().unwrap_or(0));
    let level = limit["when_pressure"].as_str().unwrap_or("low");
    let rate = p4warden_gate::rate::limits::rate(allow, burst).unwrap_or_else(|| panic!("{allow}"));
    format!("{parts:?} {allow} {burst} {level} {rate:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_compiled_policy_is_read_as_written(policy in policies()) {
        let commands = ["fstat", "files", "sync", "user-fstat", ""];
        let lines = read_all(&flat(&policy).map_err(TestCaseError::fail)?, &commands);
        prop_assert_eq!(lines, Ok(expected_lines(&policy, &commands)));
    }

    #[test]
    fn a_truncated_compiled_policy_is_corrupt(policy in policies(), part in 0.0_f64..1.0) {
        let policy_bytes = flat(&policy).map_err(TestCaseError::fail)?;
        let length = (policy_bytes.len() as f64 * part) as usize;
        prop_assert_eq!(read_all(&policy_bytes[..length], &["fstat"]), Err(CorruptData));
    }

    #[test]
    fn a_changed_bit_makes_a_compiled_policy_corrupt(
        policy in policies(),
        place: prop::sample::Index,
        bit in 0_u8..8,
    ) {
        let policy_bytes = flat(&policy).map_err(TestCaseError::fail)?;
        let mut changed = policy_bytes.clone();
        changed[place.index(policy_bytes.len())] ^= 1 << bit;
        prop_assert_eq!(read_all(&changed, &["fstat", "files", "sync"]), Err(CorruptData));
    }

    #[test]
    fn arbitrary_bytes_are_a_corrupt_policy(bytes: Vec<u8>) {
        prop_assert_eq!(read_all(&bytes, &["fstat"]), Err(CorruptData));
        let rules = Rules::read(&bytes, &bytes);
        prop_assert!(rules.is_err() || bytes.len() != 1);
    }
}

#[test]
fn only_the_rules_of_a_command_are_read() -> Outcome {
    let rule = |number: usize, command: &str| {
        json!({"name": format!("rule{number}"), "rule": "limit_command_rate", "mode": "enforce",
               "commands": [command], "limits": [{"per": ["user"], "allow": "1 per 1s"}]})
    };
    let mut rules: Vec<_> =
        (0..100).map(|number| rule(number, &format!("other{number}"))).collect();
    rules.push(rule(100, "fstat"));
    let policy_bytes = flat(&json!({"format": 1, "digest": "d", "contact": "c", "rules": rules}))?;
    assert_eq!(read_all(&policy_bytes, &["fstat"]).map(|lines| lines.len()), Ok(3));
    Ok(())
}

#[test]
fn scope_and_program_rules_and_depots_are_read_as_written() -> Outcome {
    let policy = json!({"format": 1, "digest": "d", "contact": "c", "rules": [
        {"name": "wide", "rule": "limit_command_scope", "mode": "enforce", "commands": ["files"],
         "min_depth": 2, "depots": {"a": 0, "B": 3}},
        {"name": "old", "rule": "block_client_program", "mode": "observe", "commands": ["files"],
         "programs": [{"program": "P4V", "below": "2019.2", "advice": null}, {"program": "x*"}]},
    ]});
    let policy = Policy::from_json(policy.to_string().as_bytes())?;
    let mut depots = Writer::default();
    Depots::write(&mut depots, b"one", &[b"main", b"rel", b"tools", b"www"]);
    Depots::write(&mut depots, b"two", &[]);
    let extras = Extras { depots: depots.0, ..Extras::new(true) };
    let bytes = encode(&policy, &extras);
    let problem = |CorruptData| "the policy is damaged";
    let prefix = Prefix::read(&bytes).map_err(problem)?;
    let front = Front::read(&prefix, &bytes[PREFIX_BYTES..]).map_err(problem)?;
    let place = front.command(b"files").map_err(problem)?.ok_or("no such command")?;
    let rules = place.rules.part_of(&bytes).map_err(problem)?;
    let rules = Rules::read(rules, &[]).map_err(problem)?;

    let [wide, old] = &rules.rules[..] else { return Err("not two rules".into()) };
    let (Kind::Scope(scope), Kind::Program(programs)) = (&wide.kind, &old.kind) else {
        return Err("rules of other kinds".into());
    };
    assert_eq!([wide.name, old.name], ["wide", "old"]);
    assert_eq!([mode(&wide.mode), mode(&old.mode)], ["enforce", "observe"]);
    assert_eq!(
        [
            scope.min_depth_in(b"a", true),
            scope.min_depth_in(b"b", true),
            scope.min_depth_in(b"b", false)
        ],
        [0, 2, 3]
    );
    let programs: Vec<_> = programs.iter().map(|p| (p.program, p.below, p.advice)).collect();
    assert_eq!(programs, [(&b"P4V"[..], Some(&b"2019.2"[..]), None), (b"x*", None, None)]);
    let depots = Depots::read(front.depots.part_of(&bytes).map_err(problem)?).ok_or("no depots")?;
    assert_eq!(depots.collect::<Vec<_>>(), [b"one", b"two"]);
    let directories = depots.directories().collect::<Vec<_>>();
    assert_eq!(directories, [&b"//one/main/"[..], b"//one/rel/", b"//one/tools/"]);
    Ok(())
}

#[test]
fn a_policy_of_another_format_or_with_invalid_values_is_an_error() {
    let error = |policy: Value| flat(&policy).err().unwrap_or_default();
    let valid_policy = json!({"format": 1, "digest": "d", "contact": "c", "rules": []});
    assert_eq!(error(valid_policy.clone()), "");
    let with = |name: &str, value: Value| {
        let mut policy = valid_policy.clone();
        policy[name] = value;
        error(policy)
    };
    assert_eq!(with("format", json!(2)), "it has format 2, this release reads 1");
    assert!(with("on_error", json!("maybe")).contains("unknown variant `maybe`"));
    let rate = |allow: &str| {
        let limits = json!([{"per": ["user"], "allow": allow}]);
        with(
            "rules",
            json!([{"name": "r", "rule": "limit_command_rate", "mode": "enforce",
                              "commands": ["fstat"], "limits": limits, "action": "delay"}]),
        )
    };
    assert_eq!(rate("5 pre 1s"), "rule r: \"5 pre 1s\" with burst 1 is not a rate");
    assert_eq!(rate("5 per 1s"), "rule r: delay needs a max_delay such as 2s");
    let other = json!([{"name": "r", "rule": "limit_view_scope", "limits": 7}]);
    assert_eq!(with("rules", other), "");
}
