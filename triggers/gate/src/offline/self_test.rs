//! Self-test of a p4warden installation: whether the policy, the state file, the decision log and
//! the worker's Python are usable.

use crate::base::bytes::CorruptData;
use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::active_policy::ActivePolicy;
use crate::home::folder::{DECISIONS, Home};
use crate::home::state::{Layout, State};
use crate::trigger::worker::{Worker, path_beside_program};
use std::ffi::OsString;

pub type Checks = [(&'static str, Result<(), Fault>); 4];

/// Creates the state file and the log if they are missing; starts the worker's Python without the
/// worker. Judges no event and writes no log line.
pub fn run(home: &Home, clock: &impl Clock) -> Checks {
    let active_policy = ActivePolicy::open(home);
    [
        ("policy", active_policy.as_ref().map_err(Clone::clone).and_then(read_whole)),
        ("state", State::lock(home, Layout::default(), clock).map(drop)),
        ("log", home.open_to_append(DECISIONS).map(drop)),
        ("worker", active_policy.and_then(|active_policy| start_python(&active_policy, clock))),
    ]
}

fn read_whole(active_policy: &ActivePolicy) -> Result<(), Fault> {
    let front = active_policy.front()?;
    active_policy.depots(&front)?;
    for command in front.commands() {
        let (_, command) = command.map_err(|CorruptData| active_policy.corrupt())?;
        active_policy.blocks(&command)?;
    }
    Ok(())
}

fn start_python(active_policy: &ActivePolicy, clock: &impl Clock) -> Result<(), Fault> {
    let front = active_policy.front()?;
    let launcher = front.worker.ok_or_else(|| {
        Fault::new("the compiled policy contains no worker; run p4warden activate")
    })?;
    if !path_beside_program(launcher)?.is_file() {
        return Err(Fault::new(format!("{launcher}: does not exist")));
    }
    let mut worker = Worker::start("-c", &[OsString::from("pass")])?;
    let watched = worker.watch(front.deadline_ns, clock, drop);
    let status = worker.end()?;
    watched?;
    if status.success() { Ok(()) } else { Err(Fault::new(format!("Python ended with {status}"))) }
}
