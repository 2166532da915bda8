//! The gate's subcommands `compile`, `judge`, `counts` and `self-test`. Unlike triggers, they
//! report their errors to the caller.

use crate::base::clock::{Clock, SystemClock, zone};
use crate::event::json::Object;
use crate::home::baseline_file::BaselineFile;
use crate::home::decision_log;
use crate::home::folder::{DEFAULT, Home};
use crate::home::state::{COUNTERS, Layout, State};
use crate::judge::form_policy::FormPolicy;
use crate::offline::judge::{FactsDocument, FormJudge, Judge, stream};
use crate::offline::self_test;
use crate::policy::compiled::{Extras, encode};
use crate::policy::document::Policy;
use crate::rate::limits::duration_ns;
use p4warden_index::base::options::Options;
use p4warden_index::base::trouble::Trouble;
use p4warden_index::file::index::Index;
use std::ffi::OsString;
use std::io::{Read, Write, stderr, stdin, stdout};
use std::path::Path;

/// The same limit as in `home/trusted_files.py`.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// Maximum time for a form or submit event if the policy is compiled without `--deadline`. The time
/// limits of the worker in `worker/ask_server.py` and `worker/main.py` are shorter.
pub const DEADLINE: &str = "5s";

pub fn compile(words: &[OsString]) -> Result<bool, Trouble> {
    let options = read_options(words, &[], &["policy", "facts", "worker", "deadline"])?;
    stdout().write_all(&compiled_policy(&options)?).map_err(write_error)?;
    Ok(true)
}

/// Returns false if an input line was not a valid event.
pub fn judge(words: &[OsString]) -> Result<bool, Trouble> {
    let options = read_options(words, &["texts"], &["policy", "facts", "baseline", "index"])?;
    let policy = compiled_policy(&options)?;
    let facts = options.get("facts").map(read).transpose()?.unwrap_or(b"{}".to_vec());
    let forms = form_judge(&options, &facts)?;
    let judge = Judge::new(&policy, zone());
    let judge = judge.map_err(|_| Trouble::File("the policy is damaged".to_owned()))?;
    let index = options.get("index").map(index).transpose()?;
    let judge = judge.with_texts(options.has("texts")).with_index(index);
    let mut judge = judge.with_forms(forms);
    let output = stdout().lock();
    stream(&mut judge, stdin().lock(), output, stderr().lock(), || SystemClock.wall_ns())
        .map_err(write_error)
}

pub fn counts(words: &[OsString]) -> Result<bool, Trouble> {
    let options = read_options(words, &[], &["home"])?;
    let home = home_of(&options);
    let trouble = |fault| Trouble::File(format!("{fault}"));
    let state = State::lock(&home, Layout::default(), &SystemClock).map_err(trouble)?;
    let (counts, pending) = (state.counts(), state.pending().map_err(trouble)?);
    state.finish().map_err(trouble)?;
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    for (name, count) in COUNTERS.into_iter().zip(counts) {
        object.number(name, count);
    }
    object.list("owed", &pending, |object, pending| {
        object
            .text("event", &pending.event)
            .text("verdict", &pending.verdict)
            .text("rule", &pending.rule);
        decision_log::add_users(object, pending);
        object.number("count", pending.count);
        if let Some(would) = pending.enforced_verdict {
            object.text("would", would.word());
        }
    });
    object.finish();
    writeln!(stdout(), "{line}").map_err(write_error)?;
    Ok(true)
}

/// Returns false if a part is not usable.
pub fn self_test(words: &[OsString]) -> Result<bool, Trouble> {
    let options = read_options(words, &[], &["home"])?;
    let checks = self_test::run(&home_of(&options), &SystemClock);
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    for (name, result) in &checks {
        let problem = result.as_ref().err().map(ToString::to_string);
        object.text(name, problem.as_deref().unwrap_or("ok"));
    }
    object.finish();
    writeln!(stdout(), "{line}").map_err(write_error)?;
    Ok(checks.iter().all(|(_, result)| result.is_ok()))
}

fn read_options(
    words: &[OsString],
    flags: &[&str],
    with_value: &[&str],
) -> Result<Options, Trouble> {
    let options = Options::read(words, flags, with_value)?;
    match options.words.first() {
        Some(word) => Err(Trouble::Usage(format!("{word} is not an option"))),
        None => Ok(options),
    }
}

fn write_error(error: std::io::Error) -> Trouble {
    Trouble::File(error.to_string())
}

fn home_of(options: &Options) -> Home {
    Home::at(Path::new(options.get("home").unwrap_or(DEFAULT)))
}

fn compiled_policy(options: &Options) -> Result<Vec<u8>, Trouble> {
    let path = options.get("policy").ok_or(Trouble::Usage("--policy is missing".to_owned()))?;
    let in_file = |path: &str, problem: String| Trouble::File(format!("{path}: {problem}"));
    let policy = Policy::from_json(&read(path)?).map_err(|problem| in_file(path, problem))?;
    let deadline = options.get("deadline").unwrap_or(DEADLINE);
    let deadline_ns = duration_ns(deadline).filter(|ns| *ns > 0);
    let facts = options.get("facts").map(facts).transpose()?.unwrap_or_default();
    Ok(encode(
        &policy,
        &Extras {
            case_sensitive: facts.case_sensitive.unwrap_or(true),
            unicode: facts.unicode.unwrap_or(false),
            server_id: facts.server_id,
            depots: facts.depots.0,
            deadline_ns: deadline_ns.ok_or_else(|| {
                Trouble::Usage(format!(
                    "--deadline {deadline} is not a duration; write for example 5s"
                ))
            })?,
            worker: options.get("worker").map(str::to_owned),
        },
    ))
}

fn form_judge<'f>(
    options: &Options,
    facts: &'f [u8],
) -> Result<Result<FormJudge<'f>, String>, Trouble> {
    let baseline = options.get("baseline").map(|path| {
        let in_file = |problem: String| Trouble::File(format!("{path}: {problem}"));
        let file = std::fs::File::open(path).map_err(|error| in_file(error.to_string()))?;
        BaselineFile::new(file).map_err(in_file)
    });
    let baseline = baseline.transpose()?;
    let policy = FormPolicy::from_json(&read(options.get("policy").unwrap_or_default())?);
    Ok(policy.and_then(|policy| FormJudge::new(policy, facts, baseline)))
}

fn index(path: &str) -> Result<Index, Trouble> {
    let index = Index::open(Path::new(path));
    let index = index.map_err(|problem| Trouble::File(format!("{path}: {problem}")))?;
    Ok(index.with_delta_beside(Path::new(path)))
}

fn facts(path: &str) -> Result<FactsDocument, Trouble> {
    serde_json::from_slice(&read(path)?).map_err(|error| Trouble::File(format!("{path}: {error}")))
}

fn read(path: &str) -> Result<Vec<u8>, Trouble> {
    let trouble = |error: std::io::Error| Trouble::File(format!("{path}: {error}"));
    let mut content = Vec::new();
    let file = std::fs::File::open(path).map_err(trouble)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content).map_err(trouble)?;
    if content.len() as u64 > MAX_FILE_BYTES {
        return Err(Trouble::File(format!("{path}: is larger than {MAX_FILE_BYTES} bytes")));
    }
    Ok(content)
}
