//! The gate's subcommands, `check` and others. Unlike triggers, they report their errors to the
//! caller.

use crate::ask::judge::{FormJudge, Judge, JudgedPolicy, ListedRules, Parts, stream};
use crate::ask::lines;
use crate::ask::remarks;
use crate::ask::self_test;
use crate::ask::tables;
use crate::base::clock::{Clock, SystemClock, zone};
use crate::base::json::object_text;
use crate::base::sums::without_sums_if_any;
use crate::contract::keys::of_rule;
use crate::facts::document::FactsDocument;
use crate::home::baseline_file::BaselineFile;
use crate::home::decision_log;
use crate::home::folder::{DEFAULT, Home, MAX_FILE_BYTES, POLICY, SAVED};
use crate::home::monitor_file;
use crate::home::policy_file::PolicyFile;
use crate::home::state::{COUNTERS, State};
use crate::judge::command_policy::NamedRule;
use crate::judge::form_policy::FormPolicy;
use crate::judge::policy_problems::problems;
use crate::policy::document::{EMPTY, Policy};
use p4warden_index::base::fault::{Fault, without_number};
use p4warden_index::base::options::Options;
use p4warden_index::file::index::Index;
use p4warden_index::file::saved_forms::SavedForms;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{ErrorKind, Read, Write, stderr, stdin, stdout};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns false if a rule or exemption cannot be read.
pub fn check(words: &[OsString]) -> Result<bool, Fault> {
    let options = read_options(words, &[], &["policy"])?;
    let (path, content) = policy_or(&options, || read_all(POLICY, stdin()))?;
    let policy = Policy::read(&content).map_err(|problem| in_file(path, &problem))?;
    let problems = problems(&policy);
    for problem in &problems {
        let _ = writeln!(stderr(), "{path}: {problem}");
    }
    Ok(problems.is_empty())
}

pub fn lines(words: &[OsString]) -> Result<bool, Fault> {
    let options = read_options(words, &[], &["policy"])?;
    let (path, content) = policy_or(&options, || read_all(POLICY, stdin()))?;
    let policy = Policy::read(&content).map_err(|problem| in_file(path, &problem))?;
    let lines = lines::lines(&policy).map_err(|problem| in_file(path, &problem))?;
    print(&Value::Array(lines))
}

pub fn remarks(words: &[OsString]) -> Result<bool, Fault> {
    const INPUT: &str = "standard input";
    read_options(words, &[], &[])?;
    let content = read_all(INPUT, stdin())?;
    print(&remarks::remarks(&content).map_err(|problem| in_file(INPUT, &problem))?)
}

/// `{NAME: {"value": N, "maximum": N}}`; the maximum may be null.
pub fn monitor_file(words: &[OsString]) -> Result<bool, Fault> {
    let [file] = words else {
        return Err(Fault::Usage("name one file".to_owned()));
    };
    let path = file.to_string_lossy();
    let content = monitor_file::content(file.as_bytes());
    let content =
        content.map_err(|error| in_file(&path, &format!("it cannot be read: {error}")))?;
    let counters = monitor_file::counters(&content)
        .ok_or_else(|| in_file(&path, "it is not a monitor file that p4warden can read"))?;
    let entry = |(name, one): (&str, monitor_file::Counter)| {
        (name.to_owned(), json!({"value": one.value, "maximum": one.maximum}))
    };
    print(&Value::Object(counters.into_iter().map(entry).collect::<Map<_, _>>()))
}

pub fn tables(words: &[OsString]) -> Result<bool, Fault> {
    read_options(words, &[], &[])?;
    print(&tables::tables())
}

fn print(document: &impl Display) -> Result<bool, Fault> {
    writeln!(stdout(), "{document}").map_err(|error| Fault::of_output(&error))?;
    Ok(true)
}

/// Returns false if an input line was not a valid event.
pub fn judge(words: &[OsString]) -> Result<bool, Fault> {
    let flags = ["texts", "marks", "all", "rules"];
    let options = read_options(words, &flags, &["policy", "facts", "baseline", "index"])?;
    // Without a policy, questions about the text of forms are answered, and no rule judges events.
    let (path, content) = policy_or(&options, || Ok(EMPTY.into()))?;
    let facts_path = options.get("facts");
    let facts_text = facts_path.map(read).transpose()?.unwrap_or(b"{}".to_vec());
    let facts: FactsDocument<'_> = serde_json::from_slice(&facts_text)
        .map_err(|error| in_file(facts_path.unwrap_or_default(), &error.to_string()))?;
    let policy = JudgedPolicy::read(&content, facts).map_err(|problem| in_file(path, &problem))?;
    let forms = form_judge(&options, &policy.policy, &facts_text)?;
    let index = options.get("index").map(index).transpose()?;
    let parts = Parts {
        has_texts: options.has("texts"),
        has_marks: options.has("marks"),
        has_all_findings: options.has("all"),
    };
    let listed = options.has("rules").then(|| ListedRules::of(&policy.policy)).transpose();
    let listed = listed.map_err(|problem| in_file(path, &problem))?;
    let judge = Judge::new(&policy, zone().clone()).with(parts).with_rules(listed);
    let mut judge = judge.with_index(index).with_forms(forms);
    let output = stdout().lock();
    stream(&mut judge, stdin().lock(), output, stderr().lock(), || SystemClock.wall_ns())
        .map_err(|error| in_file("the standard input or output", &error.to_string()))
}

/// The path and the content of the option's file.
fn policy_or(
    options: &Options,
    otherwise: impl FnOnce() -> Result<Vec<u8>, Fault>,
) -> Result<(&str, Vec<u8>), Fault> {
    match options.get("policy") {
        Some(path) => Ok((path, read(path)?)),
        None => Ok((POLICY, otherwise()?)),
    }
}

pub fn counts(words: &[OsString]) -> Result<bool, Fault> {
    let options = read_options(words, &[], &["home"])?;
    let home = home_of(&options);
    let fault = |reason| Fault::File(format!("{reason}"));
    let rules = rules_at_once(&home).unwrap_or_default();
    let counts = |state: &mut State| {
        let at_once = rules.iter().map(|rule| state.at_once(of_rule(rule)));
        let at_once = at_once.collect::<Result<Vec<_>, _>>()?;
        Ok((state.counts(), state.pending()?, at_once))
    };
    let (counts, pending, at_once) = State::once(&home, &SystemClock, counts).map_err(fault)?;
    print(&object_text(|object| {
        for (name, count) in COUNTERS.into_iter().zip(counts) {
            object.number(name, count);
        }
        object.list("owed", &pending, |object, pending| {
            decision_log::add_time(object, pending.last_wall_ns);
            object.text("event", &pending.event).text("verdict", &pending.verdict);
            object.text("rule", &pending.rule);
            decision_log::add_users(object, pending);
            object.number("count", pending.count);
            decision_log::add_would(object, pending.enforced_verdict);
            decision_log::add_unusual(object, pending.is_unusual);
        });
        let at_once: Vec<_> = rules.iter().zip(at_once).collect();
        object.list("at_once", &at_once, |object, (rule, [running, waiting])| {
            object.text("rule", rule).number("running", *running).number("waiting", *waiting);
        });
    }))
}

/// The names of the rules that count commands at once; none of a policy that cannot be read.
fn rules_at_once(home: &Home) -> Option<Vec<String>> {
    let file = PolicyFile::open(home).ok()?;
    let rules = NamedRule::all(&file.policy().ok()?).ok()?.into_iter().map(|named| named.rule);
    let counting = rules.filter(|rule| rule.settings.concurrency().is_some());
    Some(counting.map(|rule| rule.name.to_string()).collect())
}

/// Returns false if a part is not usable.
pub fn self_test(words: &[OsString]) -> Result<bool, Fault> {
    let options = read_options(words, &[], &["home"])?;
    let checks = self_test::run(&home_of(&options), &SystemClock);
    print(&object_text(|object| {
        for (name, result) in &checks {
            let problem = result.as_ref().err().map(ToString::to_string);
            object.text(name, problem.as_deref().unwrap_or("ok"));
        }
    }))?;
    Ok(checks.iter().all(|(_, result)| result.is_ok()))
}

fn read_options(words: &[OsString], flags: &[&str], with_value: &[&str]) -> Result<Options, Fault> {
    let options = Options::read(words, flags, with_value)?;
    match options.words.first() {
        Some(word) => Err(Fault::Usage(format!("{word} is not an option"))),
        None => Ok(options),
    }
}

fn home_of(options: &Options) -> Home {
    Home::at(Path::new(options.get("home").unwrap_or(DEFAULT)))
}

fn form_judge<'f>(
    options: &Options,
    policy: &Policy<'f>,
    facts: &'f [u8],
) -> Result<Result<FormJudge<'f>, String>, Fault> {
    let baseline = options.get("baseline").map(|path| {
        let file = std::fs::File::open(path).map_err(|error| in_file(path, &error.to_string()))?;
        BaselineFile::new(file).map_err(|problem| in_file(path, &problem))
    });
    let baseline = baseline.transpose()?;
    let policy = FormPolicy::of(policy);
    Ok(policy.and_then(|policy| FormJudge::new(policy, facts, baseline)))
}

/// With the notes of saved forms beside it.
fn index(path: &str) -> Result<Index, Fault> {
    let index = Index::open(Path::new(path));
    let index = index.map_err(|problem| in_file(path, &problem.to_string()))?;
    let notes = Path::new(path).with_file_name(SAVED);
    let in_notes = |problem: String| in_file(&notes.display().to_string(), &problem);
    let saved_forms = match std::fs::File::open(&notes) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(in_notes(error.to_string())),
        Ok(file) => Some(SavedForms::of_file(file).map_err(in_notes)?),
    };
    Ok(index.with_saved(saved_forms))
}

fn in_file(path: &str, problem: &str) -> Fault {
    Fault::File(format!("{path}: {}", without_number(problem)))
}

fn read(path: &str) -> Result<Vec<u8>, Fault> {
    let file = std::fs::File::open(path).map_err(|error| in_file(path, &error.to_string()))?;
    read_all(path, file)
}

fn read_all(path: &str, file: impl Read) -> Result<Vec<u8>, Fault> {
    let mut content = Vec::new();
    let outcome = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content);
    outcome.map_err(|error| in_file(path, &error.to_string()))?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(in_file(path, &format!("is larger than {MAX_FILE_BYTES} bytes")));
    }
    without_sums_if_any(content).map_err(|problem| in_file(path, &problem))
}
