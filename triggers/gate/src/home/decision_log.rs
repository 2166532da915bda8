//! Writer of `decisions.jsonl`, the decision log: one JSON object per line; and search for a recent
//! line at its end.
//!
//! The fields, their order and their types are those of `tests/cases/decision_records`.
//!
//! Each line is appended with a single write, so that lines of concurrent processes stay whole. A
//! log that cannot be written changes no verdict.

use crate::base::fault::Fault;
use crate::base::json::{Object, quote};
use crate::base::text::{seconds, short_name};
use crate::base::visible::cut_to;
use crate::contract::finding::Amount;
use crate::event::arguments::Arguments;
use crate::event::class::class_of;
use crate::event::command_event::Event;
use crate::event::known_offender::known_offender;
use crate::event::lazy_index::LazyIndex;
use crate::event::refused::fingerprint;
use crate::event::selector::Sender;
use crate::home::folder::{DECISIONS, Home, is_trusted};
use crate::home::state::{LogTime, MANY_FORMS, MANY_USERS, PendingDecisions};
use crate::judge::command_outcome::{Judgement, Outcome, Verdict};
use crate::judge::tampered_line::LOG_NAME;
use crate::paths::command_form::command_form;
use crate::policy::document::Policy;
use crate::policy::selector::Classes;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, getrlimit};
use std::ffi::CStr;

pub(super) const DIGEST_CHARACTERS: usize = 12;
/// Seconds within which a repeated fault or decision that the state file cannot count is not logged
/// again.
const QUIET_S: u64 = 10;
const TAIL_BYTES: u64 = 4096;
/// Of an error text of the server, for example.
const MAX_TROUBLE_BYTES: usize = 1000;
/// Lines about users of one address in the last `TAIL_BYTES` after which no more are written.
const MOST_OF_ADDRESS: usize = 4;

/// The part of a policy that concerns the log.
#[derive(Clone, Copy)]
pub struct LoggedPolicy<'p> {
    pub digest: &'p str,
    /// Of the event; None for a policy without classes.
    pub class: Option<&'p str>,
    pub log_arguments: bool,
}

impl<'p> LoggedPolicy<'p> {
    /// For an event of this sender; `classes` are those of the policy.
    pub fn of(policy: &'p Policy<'_>, classes: &'p Classes<'_>, sender: &Sender<'_>) -> Self {
        LoggedPolicy {
            digest: &policy.digest,
            class: class_of(classes, sender),
            log_arguments: policy.log_arguments,
        }
    }
}

/// `count` is the number of similar decisions that the line stands for.
pub fn decision(
    event: &Event<'_>,
    outcome: &Outcome<'_>,
    policy: LoggedPolicy<'_>,
    count: u64,
    took_ns: Option<u64>,
    wall_ns: u64,
) -> String {
    let LoggedPolicy { digest, class, log_arguments } = policy;
    line(wall_ns, |record| {
        record.text("event", if event.running.is_some() { "running" } else { "command" });
        add_present_text(
            record,
            "user",
            if event.is_tampered { Some(LOG_NAME) } else { event.user },
        );
        add_present_text(record, "client", event.client);
        add_present_text(record, "ip", event.ip);
        add_present_text(record, "prog", event.prog);
        add_present_text(record, "version", event.version);
        add_present_text(record, "class", class.map(str::as_bytes));
        record.short_text("command", Some(event.command));
        if let Some(args) = event.args.filter(|_| outcome.objects()) {
            record.text("args_id", &fingerprint(args));
            add_present_text(record, "args", Some(args).filter(|_| log_arguments));
        }
        record.text("verdict", outcome.verdict.word());
        if let Some(judgement) = outcome.decisive() {
            record.text("rule", judgement.rule).text("kind", judgement.kind);
            let refused = event.refused().filter(|_| outcome.verdict == Verdict::Refuse);
            if let Some(refused) = refused {
                record.text("id", &refused.id(judgement.rule));
            }
            add_would(record, judgement.observes());
        }
        if let Some(args) = event.args.filter(|_| outcome.verdict == Verdict::Unknown) {
            record.text("asked", &command_form(event.name.main_name, args));
        }
        if let Some(finding) = outcome.decisive_finding(event) {
            record.text("summary", finding.summary);
            record.text("detail", &finding.detail);
            add_amount(record, "value", &finding.value);
            add_amount(record, "limit", &finding.limit);
            let verdict =
                outcome.decisive().map_or(outcome.verdict, |judgement| judgement.enforced_verdict);
            let wait_ns = match outcome.verdict {
                Verdict::Observe => finding.wait_ns,
                _ => outcome.wait_ns(),
            };
            if let Some(wait_ns) = wait_ns {
                record.raw(wait_name(verdict), &seconds(wait_ns));
            }
        }
        if let Some(known) = known_offender(event).filter(|_| outcome.objects()) {
            record.text("known", known.key);
        }
        add_unusual(record, outcome.decisive().is_some_and(Judgement::is_unusual));
        if event.is_trial {
            record.raw("trial", "true");
        }
        if event.is_tampered {
            record.raw("tampered", "true");
        }
        record.text("policy", digest.get(..DIGEST_CHARACTERS).unwrap_or(digest));
        add_trouble(record, event.index.and_then(LazyIndex::damage));
        if let Some(took_ns) = took_ns {
            record.raw("took_s", &duration_s(took_ns));
        }
        add_count(record, count);
    })
}

/// Cut to six decimals.
pub fn duration_s(took_ns: u64) -> String {
    seconds(took_ns / 1000 * 1000)
}

pub fn pending_line(pending: &PendingDecisions) -> String {
    line(pending.last_wall_ns, |record| {
        let name = if pending.verdict == "fault" { "fault" } else { "rule" };
        record.text("event", &pending.event);
        add_users(record, pending);
        record.text("verdict", &pending.verdict).text(name, &pending.rule);
        add_would(record, pending.enforced_verdict);
        add_unusual(record, pending.is_unusual);
        add_count(record, pending.count);
    })
}

/// For commands that no rule could judge, their forms in place of the users.
pub fn add_users(record: &mut Object<'_>, pending: &PendingDecisions) {
    let is_of_forms = pending.verdict == Verdict::Unknown.word() && pending.event == "command";
    match pending.address() {
        Some((ip, forms)) if is_of_forms => {
            record.text("asked", MANY_FORMS).short_text("forms", Some(&forms));
            record.short_text("ip", Some(ip));
        }
        None if is_of_forms => {
            record.short_text("asked", Some(&pending.user));
        }
        Some((ip, users)) => {
            record.text("user", MANY_USERS).short_text("users", Some(&users));
            record.short_text("ip", Some(ip));
        }
        None => {
            record.short_text("user", Some(&pending.user));
        }
    }
}

pub fn fault(
    arguments: &Arguments<'_>,
    refuses: bool,
    fault: &Fault,
    count: u64,
    wall_ns: u64,
) -> String {
    line(wall_ns, |record| {
        record.short_text("event", Some(arguments.event));
        for name in ["type", "name", "change", "user", "client", "command"] {
            add_present_text(record, name, arguments.get(name));
        }
        record.text("verdict", if refuses { "refuse" } else { "allow" });
        record.text("fault", &short_name(fault.to_string().as_bytes()));
        add_count(record, count);
    })
}

/// Their verdicts have lines of their own.
pub fn trouble(trouble: &str, count: u64, wall_ns: u64) -> String {
    line(wall_ns, |record| {
        record.text("event", "command").text("verdict", "allow").text("trouble", trouble);
        add_count(record, count);
    })
}

/// A log that cannot be written changes no verdict, so the error is ignored.
pub fn log(home: &Home, log_time: LogTime, wall_ns: u64, line: impl FnOnce(u64, u64) -> String) {
    let LogTime::Now(count, others) = log_time else { return };
    for other in others {
        let _ = append(home, &pending_line(&other));
    }
    let _ = append(home, &line(count, wall_ns));
}

pub fn append(home: &Home, line: &str) -> Result<(), Fault> {
    home.open_to_append(DECISIONS)?.append(line)
}

/// In a handler of signals, where no memory may be taken. Without a log that can be trusted, nothing
/// is written.
pub fn append_in_handler(log: &CStr, line: &[u8]) {
    let safely = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | safely;
    let Ok(file) = rustix::fs::open(log, flags, Mode::RUSR | Mode::WUSR) else { return };
    let Ok(status) = rustix::fs::fstat(&file) else { return };
    let size = u64::try_from(status.st_size).unwrap_or(0) + line.len() as u64;
    let is_allowed = getrlimit(Resource::Fsize).current.is_none_or(|most| size <= most);
    if is_allowed && is_trusted(&status) {
        let _ = rustix::io::write(&file, line);
    }
}

/// Used for faults of the state file, which cannot count them; repeated lines must not fill the
/// disk.
pub fn is_fault_logged(home: &Home, fault: &Fault, wall_ns: u64) -> bool {
    let mut part = "\"fault\": ".to_owned();
    quote(&mut part, &short_name(fault.to_string().as_bytes()));
    logged_lately(home, &[part], wall_ns) > 0
}

/// For use when the state file cannot count the decision.
pub fn is_decision_logged(
    home: &Home,
    [user, ip]: [Option<&[u8]>; 2],
    verdict: &str,
    rule: &str,
    wall_ns: u64,
) -> bool {
    let field = |name: &str, value: Option<&[u8]>| {
        let mut field = String::new();
        add_present_text(&mut Object::new(&mut field), name, value);
        field.trim_start_matches('{').to_owned()
    };
    let mut verdict_field = String::new();
    Object::new(&mut verdict_field).text("verdict", verdict).text("rule", rule);
    let verdict_field = verdict_field.trim_start_matches('{').to_owned();
    let count = |part: String| logged_lately(home, &[part, verdict_field.clone()], wall_ns);
    count(field("user", user)) > 0 || ip.is_some() && count(field("ip", ip)) >= MOST_OF_ADDRESS
}

fn logged_lately(home: &Home, parts: &[String], wall_ns: u64) -> usize {
    let Ok(open_file) = home.open(DECISIONS) else {
        return 0;
    };
    let start = open_file.bytes.saturating_sub(TAIL_BYTES);
    let tail = open_file.part(start, open_file.bytes - start).unwrap_or_default();
    let text = String::from_utf8_lossy(&tail);
    let lines = text.lines().filter(|line| parts.iter().all(|part| line.contains(part)));
    // A clock that is set back leaves lines of later times, which say nothing about now.
    let is_late = |time_s: &u64| time_s.abs_diff(wall_ns / 1_000_000_000) < QUIET_S;
    lines.filter_map(time_of).filter(is_late).count()
}

pub(super) fn line(wall_ns: u64, fill: impl FnOnce(&mut Object<'_>)) -> String {
    let mut line = String::with_capacity(512);
    let mut record = Object::new(&mut line);
    add_time(&mut record, wall_ns);
    fill(&mut record);
    record.finish();
    line.push('\n');
    line
}

/// Cut to three decimals.
pub fn add_time(record: &mut Object<'_>, wall_ns: u64) {
    record.raw("time", &seconds(wall_ns / 1_000_000 * 1_000_000));
}

fn time_of(line: &str) -> Option<u64> {
    let number = line.strip_prefix("{\"time\": ")?;
    number.split(['.', ',']).next()?.parse().ok()
}

pub(super) fn add_present_text(record: &mut Object<'_>, name: &str, value: Option<&[u8]>) {
    if value.is_some() {
        record.short_text(name, value);
    }
}

fn add_amount(record: &mut Object<'_>, name: &str, amount: &Amount) {
    if *amount != Amount::Nothing {
        amount.add_to(record, name);
    }
}

pub fn add_would(record: &mut Object<'_>, would: Option<Verdict>) {
    if let Some(would) = would {
        record.text("would", would.word());
    }
}

pub fn add_unusual(record: &mut Object<'_>, is_unusual: bool) {
    if is_unusual {
        record.raw("unusual", "true");
    }
}

/// Why a fact that was needed is unknown.
pub(super) fn add_trouble(record: &mut Object<'_>, trouble: Option<&str>) {
    if let Some(trouble) = trouble {
        let mut trouble = trouble.to_owned();
        cut_to(&mut trouble, MAX_TROUBLE_BYTES);
        record.text("trouble", &trouble);
    }
}

fn wait_name(verdict: Verdict) -> &'static str {
    if verdict == Verdict::Delay { "delay_s" } else { "retry_after_s" }
}

pub(super) fn add_count(record: &mut Object<'_>, count: u64) {
    if count > 1 {
        record.number("count", count);
    }
}
