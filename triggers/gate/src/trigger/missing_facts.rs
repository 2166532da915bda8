//! Record of commands that were judged without facts about the server, before the first refresh.

use crate::base::clock::Clock;
use crate::home::decision_log;
use crate::home::folder::Home;
use crate::home::state::{Note, State};

/// The `trouble` of a decision without facts.
pub const NO_FACTS: &str = "no facts about the server yet; run p4warden refresh";

/// Logs, at most every ten seconds for all users together, that commands are judged without facts
/// about the server.
pub fn note(home: &Home, clock: &impl Clock) {
    let note = Note {
        event: "command",
        verdict: "allow",
        is_unusual: false,
        enforced_verdict: None,
        rule: NO_FACTS,
        user: b"",
        ip: b"",
    };
    let Ok(log_time) = State::once(home, clock, |state| state.note(&note)) else { return };
    decision_log::log(home, log_time, clock.wall_ns(), |count, wall_ns| {
        decision_log::trouble(NO_FACTS, count, wall_ns)
    });
}
