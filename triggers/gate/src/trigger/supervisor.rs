//! Handling of one form or submit event: a Python worker judges it, and this process replies to p4d
//! whatever happens to the worker.
//!
//! p4d waits for a trigger indefinitely, treats its death by a signal as success and collects its
//! output without limit (support/runcmd.cc in the Perforce C++ API). Therefore the worker gets a
//! deadline and an output limit, and its whole process group ends with it.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::text::cut;
use crate::event::arguments::Arguments;
use crate::home::decision_log;
use crate::home::policy_file::PolicyFile;
use crate::home::state::{Layout, LogTime, State};
use crate::rules::refusal::MAX_TEXT_BYTES;
use crate::trigger::answer::Answer;
use crate::trigger::index_questions;
use crate::trigger::on_error::FailureHandling;
use crate::trigger::worker::{Worker, path_beside_program};
use crate::trigger::worker_record::Record;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Maximum time for a form or submit event. The time limits of the worker in `worker/ask_server.py`
/// and `worker/main.py` are shorter.
pub const DEADLINE_NS: u64 = 5_000_000_000;
pub const NO_WORKER: &str = "it names no worker for forms";

/// Runs the Python worker for a form or submit event and returns the worker's reply to p4d; after a
/// failure, the reply that `on_error` declares. If p4warden is switched off, only allows the event.
pub fn run(
    words: &[OsString],
    arguments: &Arguments<'_>,
    handling: &mut FailureHandling,
    clock: &impl Clock,
) -> Answer {
    if handling.home.is_off(clock) {
        return Answer::GoOn;
    }
    let began_ns = clock.since_boot_ns();
    match judge(words, arguments, handling, clock, began_ns) {
        Ok(answer) => answer,
        Err(fault) => handling.fail(arguments, &fault, clock),
    }
}

fn judge(
    words: &[OsString],
    arguments: &Arguments<'_>,
    handling: &mut FailureHandling,
    clock: &impl Clock,
    began_ns: u64,
) -> Result<Answer, Fault> {
    let policy_file = PolicyFile::open(&handling.home)?;
    let policy = policy_file.policy()?;
    handling.apply_policy(&policy);
    let launcher = policy.worker.ok_or_else(|| policy_file.fault(NO_WORKER))?;
    let mut worker = Worker::start(path_beside_program(&launcher)?, words)?;
    let answer = |socket| index_questions::answer(socket, &handling.home, arguments);
    let watched = worker.watch(DEADLINE_NS, clock, answer);
    let status = worker.end()?;
    watched?;
    let answer = verdict(status, worker.text.bytes, &worker.complaint.bytes)?;
    if let Some(record) = Record::read(&worker.record.bytes) {
        log(&record, arguments, &answer, handling, clock, began_ns);
    }
    Ok(answer)
}

/// Counts a form or submit event and, if a log line is due, writes the worker's record to the
/// decision log. If the state file cannot be used, the verdict does not change, and the record of
/// any decision but a plain `allow` is written immediately.
fn log(
    record: &Record<'_>,
    arguments: &Arguments<'_>,
    answer: &Answer,
    handling: &FailureHandling,
    clock: &impl Clock,
    began_ns: u64,
) {
    let log_time = count(record, handling, clock).unwrap_or_else(|fault| {
        let refuses = matches!(answer, Answer::Refuse(_));
        handling.record(arguments, refuses, &fault.of_state(), clock);
        if record.note().is_some() { LogTime::Now(1, Vec::new()) } else { LogTime::Later }
    });
    decision_log::log(&handling.home, log_time, clock.wall_ns(), |count, _| {
        record.line(count, clock.since_boot_ns().saturating_sub(began_ns))
    });
}

fn count(
    record: &Record<'_>,
    handling: &FailureHandling,
    clock: &impl Clock,
) -> Result<LogTime, Fault> {
    if record.is_trial() {
        return Ok(LogTime::Now(1, Vec::new()));
    }
    let mut state = State::lock(&handling.home, Layout::default(), clock)?;
    state.count(record.counter());
    let log_time = record.note().map_or(Ok(LogTime::Later), |note| state.note(&note))?;
    state.finish()?;
    Ok(log_time)
}

/// Derives the reply to p4d from the worker's exit status and output; a fault if the worker did not
/// end as agreed. Exit code 0 alone means "allow"; a refusal has exit code 1 and a text.
fn verdict(status: ExitStatus, text: Vec<u8>, complaint: &[u8]) -> Result<Answer, Fault> {
    let end = match (status.code(), status.signal()) {
        (Some(0), _) => return Ok(Answer::GoOn),
        (Some(1), _) if !text.trim_ascii().is_empty() => return refusal(text),
        (Some(1), _) => "refused without a text".to_owned(),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    };
    let last = complaint.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let last = if last.is_empty() { String::new() } else { format!(": {}", cut(last)) };
    Err(Fault::new(format!("the worker {end}{last}")))
}

/// The worker's text as a refusal; a text longer than `MAX_TEXT_BYTES` loses its end, and one that
/// is not UTF-8 is a fault.
fn refusal(text: Vec<u8>) -> Result<Answer, Fault> {
    let text = String::from_utf8(text);
    let mut text = text.map_err(|_| Fault::new("the worker's refusal is not UTF-8"))?;
    if text.len() > MAX_TEXT_BYTES {
        let end = (0..=MAX_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push('\n');
    }
    Ok(Answer::Refuse(text))
}
