//! Record of commands that were judged without facts about the server, before the first refresh.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::decision_log;
use crate::home::folder::Home;
use crate::home::state::{Layout, LogTime, Note, State};

/// The `trouble` of a decision without facts.
pub const NO_FACTS: &str = "no facts about the server yet; run p4warden refresh";

/// Logs, at most every ten seconds for all users together, that commands are judged without facts
/// about the server.
pub fn note(home: &Home, clock: &impl Clock) {
    let Ok(log_time) = log_time(home, clock) else { return };
    decision_log::log(home, log_time, clock.wall_ns(), |count, wall_ns| {
        decision_log::trouble(NO_FACTS, count, wall_ns)
    });
}

fn log_time(home: &Home, clock: &impl Clock) -> Result<LogTime, Fault> {
    let mut state = State::lock(home, Layout::default(), clock)?;
    let note = Note {
        event: "command",
        verdict: "allow",
        is_unusual: false,
        enforced_verdict: None,
        rule: NO_FACTS,
        user: b"",
        ip: b"",
    };
    let log_time = state.note(&note)?;
    state.finish()?;
    Ok(log_time)
}
