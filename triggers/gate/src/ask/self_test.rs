//! Self-test of a p4warden installation: whether the policy, the facts, the state file, the decision
//! log, what was admitted and the program that asks the server are usable.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::admitted;
use crate::home::facts_file::FactsFile;
use crate::home::folder::{DECISIONS, Home, STATE};
use crate::home::policy_file::PolicyFile;
use crate::home::state::{Layout, State};
use crate::judge::policy_problems::problems;
use crate::trigger::server_answers;

pub type Checks = [(&'static str, Result<(), Fault>); 6];

/// Creates the state file and the log if they are missing, and writes beside them for a moment.
pub fn run(home: &Home, clock: &impl Clock) -> Checks {
    let policy_file = PolicyFile::open(home);
    [
        ("policy", policy_file.as_ref().map_err(Clone::clone).and_then(read_whole)),
        ("facts", FactsFile::open(home).and_then(|facts| facts.check())),
        ("state", State::lock(home, Layout::default(), clock).and_then(|_| home.check_room(STATE))),
        ("log", home.open_to_append(DECISIONS).and_then(|_| home.check_room(DECISIONS))),
        ("admitted", admitted::check(home)),
        ("answers", server_answers::check(home, clock)),
    ]
}

fn read_whole(policy_file: &PolicyFile) -> Result<(), Fault> {
    match problems(&policy_file.policy()?).first() {
        Some(problem) => Err(policy_file.fault(problem)),
        None => Ok(()),
    }
}
