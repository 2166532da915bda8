//! Tests of the queues of commands that run at once, with processes that have ended.

use super::{Outcome, SMALL, StateHome, at};
use p4warden_gate::base::fault::Fault;
use p4warden_gate::contract::rate_store::RateStore;
use p4warden_gate::home::state::{Counter, State};
use p4warden_gate::rate::queue::{Arrival, Ends, Process, Start};

/// Of a user with a limit of its own, by a process that is gone.
fn one_of(user: u64) -> Arrival {
    let process = Process { id: u32::MAX - user as u32, started: 1 };
    let limits = [(user + 1, 1), (0, 0), (0, 0), (0, 0)];
    let ends = Ends::With(process);
    Arrival { rule: 7, limits, user, ends, max_delay_ns: 0, max_age_ns: u64::MAX }
}

fn send(state: &mut State, now_ns: u64, one: &Arrival) -> Result<Start, Fault> {
    let start = state.start(one, now_ns)?;
    state.enter(one, start == Start::Now, now_ns)?;
    Ok(start)
}

#[test]
fn ended_commands_of_many_users_take_no_room_from_others() -> Outcome {
    let home = StateHome::new(SMALL)?;
    for user in 0..2_000 {
        let start = home.with(at(user), |state, now_ns| send(state, now_ns, &one_of(user)))?;
        assert_eq!(start.map_err(|fault| fault.to_string())?, Start::Now);
    }
    assert_eq!(home.count(Counter::Untracked)?, 0);
    Ok(())
}
