//! Self-test of a p4warden installation: whether the policy, the facts, the state file, the decision
//! log and the worker's Python are usable.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::facts_file::FactsFile;
use crate::home::folder::{DECISIONS, Home};
use crate::home::policy_file::PolicyFile;
use crate::home::state::{Layout, State};
use crate::trigger::supervisor::{DEADLINE_NS, NO_WORKER};
use crate::trigger::worker::{Worker, path_beside_program};
use std::ffi::OsString;

pub type Checks = [(&'static str, Result<(), Fault>); 5];

/// Creates the state file and the log if they are missing; starts the worker's Python without the
/// worker. Judges no event and writes no log line.
pub fn run(home: &Home, clock: &impl Clock) -> Checks {
    let policy_file = PolicyFile::open(home);
    [
        ("policy", policy_file.as_ref().map_err(Clone::clone).and_then(read_whole)),
        ("facts", FactsFile::open(home).and_then(|facts| facts.check())),
        ("state", State::lock(home, Layout::default(), clock).map(drop)),
        ("log", home.open_to_append(DECISIONS).map(drop)),
        ("worker", policy_file.and_then(|policy_file| start_python(&policy_file, clock))),
    ]
}

fn read_whole(policy_file: &PolicyFile) -> Result<(), Fault> {
    match policy_file.policy()?.problems().first() {
        Some(problem) => Err(policy_file.fault(problem)),
        None => Ok(()),
    }
}

fn start_python(policy_file: &PolicyFile, clock: &impl Clock) -> Result<(), Fault> {
    let launcher = policy_file.policy()?.worker.ok_or_else(|| policy_file.fault(NO_WORKER))?;
    if !path_beside_program(&launcher)?.is_file() {
        return Err(Fault::new(format!("{launcher}: does not exist")));
    }
    let mut worker = Worker::start("-c", &[OsString::from("pass")])?;
    let watched = worker.watch(DEADLINE_NS, clock, drop);
    let status = worker.end()?;
    watched?;
    if status.success() { Ok(()) } else { Err(Fault::new(format!("Python ended with {status}"))) }
}
