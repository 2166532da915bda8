//! Tests of trigger lines as p4d expands and splits them: the cases shared with the Python worker,
//! and hostile names passed through a model of p4d's splitter that shares no code with the gate.

use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::event::command_event::Event;
use p4warden_gate::event::line_check::BrokenName;
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::event::trigger_dictionary::{arguments, contradiction, forgery};
use p4warden_gate::event::trigger_options::OPTIONS;
use proptest::prelude::*;
use serde_json::Value;
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;

type Outcome = Result<(), Box<dyn Error>>;

fn cases(folder: &str) -> Result<Vec<(String, Value)>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases").join(folder);
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let document: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        for case in document["cases"].as_array().ok_or("no cases")? {
            cases.push((format!("{}: {}", path.display(), case["name"]), case.clone()));
        }
    }
    Ok(cases)
}

fn words(case: &Value) -> Vec<OsString> {
    let words = case["words"].as_array().into_iter().flatten();
    words.filter_map(Value::as_str).map(OsString::from).collect()
}

fn text(bytes: Option<&[u8]>) -> Option<String> {
    bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The option and the value of a name that broke a trigger line apart, as JSON in the form of the
/// test cases; null for None.
fn name_json(broken_name: Option<BrokenName<'_>>) -> Value {
    broken_name.map_or(Value::Null, |BrokenName { option, value }| {
        serde_json::json!([option, String::from_utf8_lossy(&value)])
    })
}

#[test]
fn trigger_line_cases_are_read_as_expected() -> Outcome {
    let cases = cases("trigger_lines")?;
    assert!(cases.len() >= 45, "only {} cases", cases.len());
    for (name, case) in cases {
        let words = words(&case);
        let arguments = Arguments::parse(&words);
        assert_eq!(arguments.has_known_form, case["known"] != false, "{name}");
        assert_eq!(arguments.is_tampered, case["tampered"] == true, "{name}");
        assert_eq!(name_json(arguments.broken_name.clone()), case["broken"], "{name}");
        for option in OPTIONS
            .iter()
            .map(|(name, _)| name)
            .filter(|option| !matches!(**option, "line" | "args" | "end"))
        {
            let expected = case["options"][option].as_str().map(str::to_owned);
            assert_eq!(text(arguments.get(option)), expected, "{option} of {name}");
        }
        let args = arguments.args();
        assert_eq!(text(args.as_deref()).as_deref(), case["args"].as_str(), "arguments of {name}");
    }
    Ok(())
}

#[test]
fn dictionary_cases_agree_or_contradict_as_expected() -> Outcome {
    let cases = cases("dictionaries")?;
    assert!(cases.len() >= 20, "only {} cases", cases.len());
    for (name, case) in cases {
        let dictionary = case["dictionary"].as_str().ok_or("no dictionary")?;
        let words = words(&case);
        let words = words.get(1..).unwrap_or_default();
        let broken_name = contradiction(words, dictionary.as_bytes());
        assert_eq!(name_json(broken_name), case["broken"], "{name}");
    }
    Ok(())
}

#[test]
fn arguments_in_a_dictionary_are_read_in_every_notation() -> Outcome {
    let cases = cases("dictionary_arguments")?;
    assert!(cases.len() >= 25, "only {} cases", cases.len());
    for (name, case) in cases {
        let dictionary = case["dictionary"].as_str().ok_or("no dictionary")?.as_bytes();
        let prog = format!("--prog={}", case["prog"].as_str().unwrap_or("p4"));
        let words = ["--user=ann", "--client=ws", &prog, "--args=", "--end=."].map(OsString::from);
        assert_eq!(name_json(contradiction(&words, dictionary)), case["contradicts"], "{name}");
        if case["contradicts"].is_null() {
            let forgery = forgery(dictionary, true);
            let args = arguments(&words, dictionary).filter(|_| forgery.is_none());
            assert_eq!(name_json(forgery.flatten()), case["broken"], "{name}");
            assert_eq!(text(args.as_deref()).as_deref(), case["args"].as_str(), "{name}");
        }
    }
    Ok(())
}

/// The tests' own model of p4d's `StrOps::Words`, which splits a trigger line: a quotation mark
/// switches quoting on or off, two adjacent marks are one literal mark, and a NUL ends the line.
fn split(command: &str) -> Vec<OsString> {
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut open) = (false, false);
    let mut letters = command.chars().take_while(|letter| *letter != '\0').peekable();
    while let Some(letter) = letters.next() {
        let blank = matches!(letter, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r');
        if blank && !quoted {
            open = false;
            continue;
        }
        if !open {
            words.push(String::new());
            open = true;
        }
        let word = words.last_mut();
        match letter {
            '"' if letters.peek() == Some(&'"') => word.into_iter().for_each(|word| word.push('"')),
            '"' => quoted = !quoted,
            _ => word.into_iter().for_each(|word| word.push(letter)),
        }
        if letter == '"' && letters.peek() == Some(&'"') {
            letters.next();
        }
    }
    words.into_iter().map(OsString::from).collect()
}

/// The text of a trigger line for commands with the given user-chosen values, as a deploy writes it
/// and p4d expands it.
fn line(values: &[String; 6]) -> String {
    let [user, client, version, prog, cwd, args] = values;
    let fixed = "--line=1 --home=/h --on-error=deny --triggers-io=0 --ip=10.0.0.1 --groups=dev \
        --command=user-fstat --pressure-cpu= --pressure-mem=";
    let fixed = fixed.split(' ').map(str::to_owned);
    let user_chosen = [
        format!("--user={user}"),
        format!("--client={client}"),
        format!("--version={version}"),
        format!("--prog={prog}"),
        format!("--cwd={cwd}"),
        format!("--args={args} "),
        "--end=.".to_owned(),
    ];
    fixed.chain(user_chosen).fold("command".to_owned(), |line, word| format!("{line} \"{word}\""))
}

const NAMES: [&str; 5] = ["user", "client", "version", "prog", "cwd"];

/// Name of the first option of the test's trigger line that the gate reads with another value than
/// the one written to the line, ignoring quotation marks; None if there is none. A user-chosen
/// value that the gate does not read at all is not counted.
fn changed(arguments: &Arguments<'_>, values: &[String; 6]) -> Option<String> {
    let fixed_options =
        [("home", "/h"), ("on-error", "deny"), ("groups", "dev"), ("ip", "10.0.0.1")];
    let changed_option =
        fixed_options.iter().find(|(name, value)| arguments.get(name) != Some(value.as_bytes()));
    let differs = |(name, value): &(&&str, &String)| {
        arguments.get(name).is_some_and(|arrived| arrived != value.replace('"', "").as_bytes())
    };
    let changed_name = NAMES.iter().zip(values).find(differs).map(|(name, _)| (*name).to_owned());
    changed_option.map(|(name, _)| (*name).to_owned()).or(changed_name)
}

/// Removes from the text of a command's arguments the characters that splitting a trigger line does
/// not preserve: quotation marks and blanks.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '"' | ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r'))
        .collect()
}

fn hostile() -> impl Strategy<Value = String> {
    let options = OPTIONS.iter().map(|(name, _)| name).map(|name| format!("--{name}="));
    let breaking = OPTIONS.iter().map(|(name, _)| name).map(|name| format!("\" \"--{name}="));
    let pieces = ["\"", "\"\"", "\" \"", " ", "\t", "a", ".", "=", "--", "//...", "p4admin"];
    let more = ["\" \"--args=\" \"--end=.", "--end=.\"", "\" \"--prog=p\" \"--cwd=\" \"--args="];
    let pieces = pieces.iter().chain(&more).map(|piece| (*piece).to_owned());
    let pieces: Vec<String> = pieces.chain(options).chain(breaking).collect();
    let piece = prop_oneof![4 => prop::sample::select(pieces), 1 => "[^\0]{0,3}"];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// Configuration of the property tests: twelve times proptest's usual number of cases (256, or that
/// in `PROPTEST_CASES`).
fn many() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.saturating_mul(12), ..usual }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn hostile_names_arrive_unchanged_or_the_trigger_line_is_tampered(
        values in prop::array::uniform6(hostile())
    ) {
        let words = split(&line(&values));
        let arguments = Arguments::parse(&words);
        prop_assert!(arguments.has_known_form);
        prop_assert_eq!(changed(&arguments, &values), None);
        if !arguments.is_tampered {
            let args = text(arguments.args().as_deref()).map(|args| bare(&args));
            prop_assert_eq!(args, Some(bare(&values[5])));
            for (name, value) in NAMES.iter().zip(&values) {
                let missing = arguments.get(name).is_none() && !value.replace('"', "").is_empty();
                prop_assert!(!missing || value.contains('%'), "{} is missing", name);
            }
        }
    }

    #[test]
    fn names_without_quotation_marks_arrive_unchanged(
        values in prop::array::uniform6("[^\0\"%-]{0,12}")
    ) {
        let words = split(&line(&values));
        let arguments = Arguments::parse(&words);
        prop_assert!(!arguments.is_tampered);
        prop_assert_eq!(changed(&arguments, &values), None);
        prop_assert_eq!(text(arguments.args().as_deref()), Some(values[5].clone()));
    }

    #[test]
    fn arbitrary_words_give_no_arguments_on_a_tampered_trigger_line(
        tail in prop::collection::vec(".*", 0..20),
    ) {
        let mut line: Vec<OsString> = ["command", "--line=1"].map(OsString::from).into();
        line.extend(tail.into_iter().map(OsString::from));
        let arguments = Arguments::parse(&line);
        prop_assert!(arguments.args().is_none() || !arguments.is_tampered);
    }
}

#[test]
fn paired_quotation_marks_and_a_nul_after_a_forged_end_are_not_detected() {
    let values = |user: &str, prog: &str| [user, "ws", "", prog, "", "//..."].map(str::to_owned);
    let words = split(&line(&values("p4\"ad\"min", "p4")));
    let arguments = Arguments::parse(&words);
    assert_eq!((arguments.is_tampered, arguments.get("user")), (false, Some(&b"p4admin"[..])));
    let words = split(&line(&values("ann", "p4\" \"--cwd=\" \"--args=a \" \"--end=.\0")));
    let arguments = Arguments::parse(&words);
    assert_eq!((arguments.is_tampered, arguments.args().as_deref()), (false, Some(&b"a"[..])));
    let words = split(&line(&values("ann", "p4\0")));
    assert!(Arguments::parse(&words).is_tampered);
}

/// Result of the gate's simulation of a trigger line (`SplitLine`): whether the line is tampered
/// with, the names of user, client, version and program, and the arguments.
type SimulatedLine = (bool, [Option<Vec<u8>>; 4], Option<Vec<u8>>);

/// Passes an event with the given values through the gate's simulation of a trigger line
/// (`SplitLine`). The test compares the result with the event that the gate reads from the words of
/// a trigger line with the same values.
fn simulated_line(values: &[String; 6]) -> SimulatedLine {
    let [user, client, version, prog, _, args] = values;
    let value = |name: &'_ String| Some(name.clone().into_bytes()).filter(|name| !name.is_empty());
    let names = [user, client, version, prog].map(value);
    let [user, client, version, prog] = names.each_ref().map(Option::as_deref);
    let event = Event {
        user,
        client,
        prog,
        version,
        args: Some(args.as_bytes()),
        ..Event::unknown(b"fstat", &String::new)
    };
    let split = SplitLine::of(&event);
    let event = split.event(event.clone());
    let names = [event.user, event.client, event.version, event.prog];
    (event.is_tampered, names.map(|name| name.map(<[u8]>::to_vec)), event.args.map(<[u8]>::to_vec))
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn a_rehearsal_reads_hostile_names_like_a_trigger(
        mut values in prop::array::uniform6(hostile())
    ) {
        values[4].clear();
        let words = split(&line(&values));
        let arguments = Arguments::parse(&words);
        let (tampered, names, args) = simulated_line(&values);
        prop_assert_eq!(tampered, arguments.is_tampered);
        prop_assert_eq!(args, arguments.args().map(std::borrow::Cow::into_owned));
        let passed_names = ["user", "client", "version", "prog"].map(|name| arguments.get(name));
        prop_assert_eq!(names, passed_names.map(|name| name.map(<[u8]>::to_vec)));
    }
}
