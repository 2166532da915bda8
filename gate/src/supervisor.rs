//! One form or submit event: judged by the Python worker, answered by this process whatever
//! happens to it.
//!
//! p4d waits for a trigger without end, takes its death by a signal for success and collects its
//! output without a bound (support/runcmd.cc in the Perforce C++ API). So the worker gets a
//! deadline and a bound, and its process group ends with it.

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::clock::Clock;
use crate::declared::Declared;
use crate::fault::Fault;
use crate::running::Running;
use crate::text::cut;
use crate::worker::Worker;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What a refusal may be long; what is over it is cut off.
const MAX_REFUSAL_BYTES: usize = 2 * 1024;

/// Lets the worker judge, and returns its answer or the declared one.
pub fn run(
    words: &[OsString],
    given: &Arguments<'_>,
    declared: &mut Declared,
    clock: &impl Clock,
) -> Answer {
    if declared.home.is_off() {
        return Answer::GoOn;
    }
    match judge(words, declared, clock) {
        Ok(answer) => answer,
        Err(fault) => declared.fail(given, &fault, clock),
    }
}

fn judge(words: &[OsString], declared: &mut Declared, clock: &impl Clock) -> Result<Answer, Fault> {
    let running = Running::open(&declared.home)?;
    let front = running.front()?;
    declared.learn(&front);
    let launcher = front.worker.ok_or_else(|| Fault::new("the policy names no worker"))?;
    let mut worker = Worker::start(launcher, words)?;
    let watched = worker.watch(front.deadline_ns, clock);
    let status = worker.end()?;
    watched?;
    verdict(status, worker.text.bytes, &worker.complaint.bytes)
}

/// What the worker's end means. The exit code alone says "go on"; a refusal has a text as well.
fn verdict(status: ExitStatus, text: Vec<u8>, complaint: &[u8]) -> Result<Answer, Fault> {
    let what = match (status.code(), status.signal()) {
        (Some(0), _) => return Ok(Answer::GoOn),
        (Some(1), _) if !text.trim_ascii().is_empty() => return refusal(text),
        (Some(1), _) => "refused without a text".to_owned(),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    };
    let last = complaint.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let last = if last.is_empty() { String::new() } else { format!(": {}", cut(last)) };
    Err(Fault::new(format!("the worker {what}{last}")))
}

fn refusal(text: Vec<u8>) -> Result<Answer, Fault> {
    let text = String::from_utf8(text);
    let mut text = text.map_err(|_| Fault::new("the worker's refusal is no UTF-8"))?;
    if text.len() > MAX_REFUSAL_BYTES {
        let end = (0..=MAX_REFUSAL_BYTES).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push('\n');
    }
    Ok(Answer::Refuse(text))
}
