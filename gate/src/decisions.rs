//! decisions.jsonl: one JSON object a line, shared with the Python worker.
//!
//! A line is appended with one write to a file opened for appending, so lines of processes that
//! write at once stay whole. A log that cannot be written changes no verdict.

use crate::arguments::Arguments;
use crate::decide::Outcome;
use crate::event::Event;
use crate::fault::Fault;
use crate::home::{DECISIONS, Home};
use crate::refusal::{SUMMARY, detail};
use crate::state::Owed;
use crate::text::{Object, quoted, seconds};
use std::io::Write;

const DIGEST_CHARACTERS: usize = 12;
/// A fault that the log has told of within this time is not told again, where the state cannot
/// count.
const QUIET_S: u64 = 10;
const TAIL_BYTES: u64 = 1024;

/// The record of a decision that stands for `count` of its kind.
#[must_use]
pub fn decision(event: &Event<'_>, outcome: &Outcome<'_>, digest: &str, count: u64) -> Object {
    let mut record = Object::default();
    record.text("event", b"command");
    let who = [
        ("user", event.user),
        ("client", event.client),
        ("ip", event.ip),
    ];
    who.into_iter()
        .chain([("prog", event.prog)])
        .for_each(|(name, value)| {
            record.optional(name, value);
        });
    record
        .text("command", event.command)
        .text("verdict", outcome.verdict.word().as_bytes());
    if let Some((judgement, over)) = outcome.decisive().and_then(|j| Some((j, j.over?))) {
        record
            .text("rule", judgement.rule.as_bytes())
            .text("summary", SUMMARY.as_bytes());
        record.text("detail", detail(&over).as_bytes());
        record
            .number("value", over.counted)
            .text("limit", over.limit.short().as_bytes());
        record.raw(wait_name(outcome), &seconds(outcome.wait_ns()));
    }
    record.text(
        "policy",
        digest.get(..DIGEST_CHARACTERS).unwrap_or(digest).as_bytes(),
    );
    counted(&mut record, count);
    record
}

/// The record of decisions that the log was owed.
#[must_use]
pub fn owed(owed: &Owed) -> Object {
    let mut record = Object::default();
    record.text("event", b"command").text("user", &owed.user);
    let name = if owed.verdict == "fault" {
        "fault"
    } else {
        "rule"
    };
    record
        .text("verdict", owed.verdict.as_bytes())
        .text(name, owed.rule.as_bytes());
    counted(&mut record, owed.count);
    record
}

/// The record of a failure of our own that stands for `count` of its kind.
#[must_use]
pub fn fault(given: &Arguments<'_>, refuses: bool, fault: &Fault, count: u64) -> Object {
    let mut record = Object::default();
    record.text("event", given.event);
    for name in ["type", "name", "user", "client", "command"] {
        record.optional(name, given.get(name));
    }
    record.text("verdict", if refuses { b"refuse" } else { b"allow" });
    record.text("fault", fault.to_string().as_bytes());
    counted(&mut record, count);
    record
}

/// Appends a record; tells why it was not written.
pub fn append(home: &Home, record: &Object, wall_ns: u64) -> Result<(), Fault> {
    let opened = home.open_to_append(DECISIONS)?;
    // Python writes its times with three decimals too.
    let time = seconds(wall_ns / 1_000_000 * 1_000_000);
    let mut line = format!(
        "{{\"time\": {time}, {}",
        record.finish().trim_start_matches('{')
    );
    line.push('\n');
    opened.allow_length(opened.bytes.saturating_add(line.len() as u64))?;
    let mut file = &opened.file;
    match file.write(line.as_bytes()) {
        Ok(written) if written == line.len() => Ok(()),
        Ok(_) => Err(opened.fault(&std::io::Error::other("the disk is full"))),
        Err(error) => Err(opened.fault(&error)),
    }
}

/// Whether the log's end tells of the same fault a short while ago.
///
/// This is for faults of the state, which then cannot count them: they must not fill the disk.
#[must_use]
pub fn told_of(home: &Home, fault: &Fault, wall_ns: u64) -> bool {
    let Ok(opened) = home.open(DECISIONS) else {
        return false;
    };
    let start = opened.bytes.saturating_sub(TAIL_BYTES);
    let mut tail = vec![0; usize::try_from(opened.bytes - start).unwrap_or(0)];
    if opened.read(&mut tail, start).is_err() {
        return false;
    }
    let wanted = format!(
        "\"fault\": {}",
        quoted(&crate::text::cut(fault.to_string().as_bytes()))
    );
    let text = String::from_utf8_lossy(&tail);
    let last = text.lines().rfind(|line| line.contains(&wanted));
    last.and_then(time_of)
        .is_some_and(|time_s| time_s + QUIET_S > wall_ns / 1_000_000_000)
}

fn time_of(line: &str) -> Option<u64> {
    let number = line.strip_prefix("{\"time\": ")?;
    number.split(['.', ',']).next()?.parse().ok()
}

fn wait_name(outcome: &Outcome<'_>) -> &'static str {
    if outcome.verdict == crate::decide::Verdict::Delay {
        "delay_s"
    } else {
        "retry_after_s"
    }
}

fn counted(record: &mut Object, count: u64) {
    if count > 1 {
        record.number("count", count);
    }
}
