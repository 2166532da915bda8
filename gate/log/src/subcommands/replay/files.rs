//! The files that a replay is given.

use super::estimate::Estimate;
use super::groups::Groups;
use super::policy_run::PolicyRun;
use crate::subcommands::options::Trouble;
use p4warden_gate::base::clock::zone;
use p4warden_gate::offline::judge::{FactsDocument, Judge};
use p4warden_gate::policy::compiled::{Extras, encode};
use p4warden_gate::policy::document::{Kind, Mode, Policy};
use p4warden_index::file::index::Index;
use std::path::Path;
use std::rc::Rc;

/// A policy in the form that the gate reads.
pub fn flat(path: &str, facts: FactsDocument) -> Result<Vec<u8>, Trouble> {
    let policy = Policy::from_json(&file(path)?).map_err(|problem| in_file(path, &problem))?;
    Ok(encoded(&policy, facts))
}

fn encoded(policy: &Policy, facts: FactsDocument) -> Vec<u8> {
    let case_sensitive = facts.case_sensitive.unwrap_or(true);
    let depots = facts.depots.0;
    encode(
        policy,
        &Extras { case_sensitive, server_id: None, deadline_ns: 1, worker: None, depots },
    )
}

/// The rules of a policy that delay, each with a policy in which it acts, for everyone: where it
/// only observes so far, it alone is switched on. Those that act already share one.
pub fn delaying(
    path: &str,
    facts: impl Fn() -> Result<FactsDocument, Trouble>,
) -> Result<Vec<Delaying>, Trouble> {
    let read = || Policy::from_json(&file(path)?).map_err(|problem| in_file(path, &problem));
    let mut found: Vec<Delaying> = Vec::new();
    for (index, rule) in read()?.rules.into_iter().enumerate() {
        if !matches!(rule.kind, Kind::Rate(ref rates) if rates.max_delay_ns > 0) {
            continue;
        }
        let observes = matches!(rule.mode, Mode::Observe);
        let shared = found.iter_mut().find(|known| !observes && !known.is_switched_on);
        if let Some(shared) = shared {
            shared.rules.push(rule.name);
            continue;
        }
        let mut policy = read()?;
        if let Some(switched_on) = policy.rules.get_mut(index).filter(|_| observes) {
            switched_on.mode = Mode::Enforce;
        }
        let policy = encoded(&policy, facts()?);
        found.push(Delaying { rules: vec![rule.name], policy, is_switched_on: observes });
    }
    Ok(found)
}

/// Rules that delay, and a policy in which they act.
pub struct Delaying {
    /// Their names.
    pub rules: Vec<String>,
    /// The policy in the form that the gate reads.
    pub policy: Vec<u8>,
    is_switched_on: bool,
}

/// One that judges by a policy, and holds up those who are delayed.
pub fn estimate(policy: &[u8]) -> Result<Estimate<'_>, Trouble> {
    Ok(Estimate::new(judge(policy)?, zone()))
}

fn judge(policy: &[u8]) -> Result<Judge<'_>, Trouble> {
    Judge::new(policy, zone()).map_err(|_| Trouble::File("the policy is damaged".to_owned()))
}

/// One that judges by it, with no rates yet.
pub fn run_of(policy: &[u8]) -> Result<PolicyRun<'_>, Trouble> {
    Ok(PolicyRun::new(judge(policy)?, zone()))
}

/// Reads the known facts about the server.
pub fn read_facts(path: &str) -> Result<FactsDocument, Trouble> {
    serde_json::from_slice(&file(path)?).map_err(|error| in_file(path, &error.to_string()))
}

/// Opens the index of a checkpoint. Without facts its own case holds.
pub fn read_index(path: &str, case_sensitive: Option<bool>) -> Result<Rc<Index>, Trouble> {
    let index = Index::open(Path::new(path));
    let index = index.map_err(|problem| in_file(path, &problem.to_string()))?;
    let Some(case_sensitive) = case_sensitive else {
        return Ok(Rc::new(index));
    };
    let found = index.for_server(!case_sensitive).map(Rc::new);
    found.ok_or_else(|| {
        let own = index.head.case.name();
        in_file(path, &format!("is {own}, and the facts' server is not; it is another server's"))
    })
}

/// Who is in which groups.
pub fn read_groups(path: &str, case_sensitive: bool) -> Result<Groups, Trouble> {
    let groups = Groups::from_json(&file(path)?, case_sensitive);
    groups.map_err(|problem| in_file(path, &problem))
}

fn file(path: &str) -> Result<Vec<u8>, Trouble> {
    std::fs::read(path).map_err(|error| in_file(path, &error.to_string()))
}

fn in_file(path: &str, problem: &str) -> Trouble {
    Trouble::File(format!("{path}: {problem}"))
}
