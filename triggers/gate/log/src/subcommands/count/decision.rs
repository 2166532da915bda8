//! A line of the decision log, as `home/decision_log.rs` and `home/form_record.rs` of the gate
//! write it, or one of their older versions: each field may be missing.

use super::names::{Name, Names};
use super::record::Record;
use std::borrow::Cow;

/// The worst first; from `ALLOW` on there is nothing to count for a user.
const VERDICTS: [&str; 6] = ["refuse", "delay", "observe", "unknown", "allow", "fault"];
const REFUSE: usize = 0;
const DELAY: usize = 1;
pub(super) const OBSERVE: usize = 2;
pub(super) const UNKNOWN: usize = 3;
pub(super) const ALLOW: usize = 4;
pub(super) const FAULT: usize = 5;
pub(super) const STOPPED: [usize; 2] = [REFUSE, DELAY];
/// A later time could be after the year 9999 in some time zone.
const LATEST_S: f64 = 253_402_214_399.0;
const MOST_TIMES: f64 = 9_007_199_254_740_992.0;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decision {
    /// Of the line, since the Unix epoch.
    pub time_s: f64,
    /// Its place in `VERDICTS`.
    pub verdict: usize,
    /// Decisions that the line stands for.
    pub times: u64,
    /// For one decision.
    pub took_s: Option<f64>,
    /// For one that was delayed.
    pub waited_s: Option<f64>,
    pub event: Name,
    pub user: Name,
    pub rule: Name,
    pub client: Name,
    pub ip: Name,
    pub prog: Name,
    /// `form-save client`, `sync`, or the form of a command that no rule could judge: `sync @N`.
    pub what: Name,
    /// The spec of a form, or the client that sent a command.
    pub spec_or_client: Name,
    /// Described by a client form.
    pub form_client: Name,
    pub class: Name,
    pub exemption: Name,
    /// The cause of a fault.
    pub fault: Name,
    /// To p4d, as far as a fault has one; otherwise the verdict.
    pub answer: usize,
    /// Why a fact that was needed is unknown.
    pub trouble: Name,
    /// The key of the known offender that sends such commands.
    pub known: Name,
    /// The verdict of an observing rule if it were enforced.
    pub would: Name,
    /// The rule allows another reading of the command.
    pub is_unusual: bool,
    /// A deployment tested its trigger lines.
    pub is_trial: bool,
    /// Rules of displayed forms propose another form, and refuse nothing.
    pub is_of_shown_form: bool,
}

impl Decision {
    /// None for a record that is no decision.
    pub fn of(record: &Record<'_>, names: &mut Names) -> Option<Self> {
        let text = |name| record.text(name);
        let number = |name, most| record.number(name, most);
        let times = if record.has("count") { number("count", MOST_TIMES)? } else { 1.0 };
        let (event, place) = (text("event"), text("verdict"));
        let answer = VERDICTS.iter().position(|verdict| *verdict == place)?;
        let verdict = if text("fault").is_empty() { answer } else { FAULT };
        let is_of_shown_form = event == "form-out";
        let is_of_client = text("type") == "client";
        let spec = if record.has("type") { "name" } else { "client" };
        Some(Decision {
            time_s: number("time", LATEST_S)?,
            verdict,
            times: times as u64,
            took_s: number("took_s", LATEST_S),
            waited_s: number("delay_s", LATEST_S).filter(|_| verdict == DELAY),
            event: names.of(event),
            user: names.of(text("user")),
            rule: names.of(text("rule")),
            client: names.of(text("client")),
            ip: names.of(text("ip")),
            prog: names.of(text("prog")),
            what: names.of(&subject([text("asked"), text("command"), event, text("type")])),
            spec_or_client: names.of(text(spec)),
            form_client: names.of(if is_of_client { text("name") } else { "" }),
            class: names.of(text("class")),
            exemption: names.of(text("exemption")),
            fault: names.of(if verdict == FAULT { fault(text("fault")) } else { "" }),
            answer,
            trouble: names.of(text("trouble")),
            known: names.of(text("known")),
            would: names.of(if is_of_shown_form { "" } else { text("would") }),
            is_unusual: record.is_true("unusual"),
            is_trial: record.is_true("trial"),
            is_of_shown_form,
        })
    }

    /// Neither allowed nor a fault.
    pub fn is_counted(&self) -> bool {
        self.verdict < ALLOW
    }
}

pub(super) fn fault_and_answer(cause: &str, answer: usize) -> String {
    let answer = match answer {
        ALLOW => "it was allowed",
        REFUSE => "it was refused",
        FAULT => "answered by on_error",
        other => return format!("{cause} (answered {})", word(other)),
    };
    format!("{cause} ({answer})")
}

pub(super) fn word(verdict: usize) -> &'static str {
    VERDICTS.get(verdict).copied().unwrap_or_default()
}

fn subject<'r>(asked_command_event_type: [&'r str; 4]) -> Cow<'r, str> {
    match asked_command_event_type {
        ["", "", event, ""] => event.into(),
        ["", "", "", of_type] => of_type.into(),
        ["", "", event, of_type] => format!("{event} {of_type}").into(),
        ["", command, ..] => command.into(),
        [asked, ..] => asked.into(),
    }
}

fn fault(cause: &str) -> &str {
    if cause.is_empty() { "not recorded" } else { cause }
}
