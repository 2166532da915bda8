use super::estimate::Estimate;
use super::groups::Groups;
use super::policy_run::PolicyRun;
use p4warden_gate::base::clock::zone;
use p4warden_gate::offline::judge::{FactsDocument, Judge};
use p4warden_gate::policy::compiled::{Extras, encode};
use p4warden_gate::policy::document::{Kind, Mode, Policy};
use p4warden_index::base::trouble::Trouble;
use p4warden_index::file::index::Index;
use std::path::Path;
use std::rc::Rc;

/// From JSON to the format of `gate.policy`.
pub fn compiled_policy_of_file(path: &str, facts: FactsDocument) -> Result<Vec<u8>, Trouble> {
    let policy = Policy::from_json(&file(path)?).map_err(|problem| in_file(path, &problem))?;
    Ok(compiled_policy(&policy, facts))
}

fn compiled_policy(policy: &Policy, facts: FactsDocument) -> Vec<u8> {
    let case_sensitive = facts.case_sensitive.unwrap_or(true);
    let depots = facts.depots.0;
    encode(policy, &Extras { depots, ..Extras::new(case_sensitive) })
}

/// All rules that are enforced for all users share the policy unchanged; each rule that observes
/// some or all users gets the policy with this rule enforced for all users.
pub fn delaying_rules(
    path: &str,
    facts: impl Fn() -> Result<FactsDocument, Trouble>,
) -> Result<Vec<DelayingRules>, Trouble> {
    let read_policy = || Policy::from_json(&file(path)?).map_err(|problem| in_file(path, &problem));
    let mut result: Vec<DelayingRules> = Vec::new();
    for (index, rule) in read_policy()?.rules.into_iter().enumerate() {
        if !matches!(rule.kind, Kind::Rate(ref rates) if rates.max_delay_ns > 0) {
            continue;
        }
        let observes = !matches!(rule.mode, Mode::Enforce);
        let shared = result.iter_mut().find(|entry| !observes && !entry.is_switched_on);
        if let Some(shared) = shared {
            shared.rules.push(rule.name);
            continue;
        }
        let mut policy = read_policy()?;
        if let Some(switched_on) = policy.rules.get_mut(index).filter(|_| observes) {
            switched_on.mode = Mode::Enforce;
        }
        let policy = compiled_policy(&policy, facts()?);
        result.push(DelayingRules { rules: vec![rule.name], policy, is_switched_on: observes });
    }
    Ok(result)
}

/// Rules that delay, with the policy in which they delay all users.
pub struct DelayingRules {
    pub rules: Vec<String>,
    /// In the format of `gate.policy`; the rules delay all users.
    pub policy: Vec<u8>,
    is_switched_on: bool,
}

pub fn estimate(policy: &[u8]) -> Result<Estimate<'_>, Trouble> {
    Ok(Estimate::new(judge(policy)?, zone()))
}

fn judge(policy: &[u8]) -> Result<Judge<'_>, Trouble> {
    Judge::new(policy, zone()).map_err(|_| Trouble::File("the policy is damaged".to_owned()))
}

/// Judges commands at their logged times, not shifted by delays.
pub fn run_of(policy: &[u8]) -> Result<PolicyRun<'_>, Trouble> {
    Ok(PolicyRun::new(judge(policy)?, zone()))
}

pub fn read_facts(path: &str) -> Result<FactsDocument, Trouble> {
    serde_json::from_slice(&file(path)?).map_err(|error| in_file(path, &error.to_string()))
}

/// With the delta file beside the index if that is usable. Fails if the server's case handling is
/// known and differs from that of the index.
pub fn read_index(path: &str, case_sensitive: Option<bool>) -> Result<Rc<Index>, Trouble> {
    let index = Index::open(Path::new(path));
    let index = index.map_err(|problem| in_file(path, &problem.to_string()))?;
    let index = index.with_delta_beside(Path::new(path));
    let of_server = match case_sensitive {
        None => Ok(index),
        Some(case_sensitive) => index.of_case(!case_sensitive),
    };
    of_server.map(Rc::new).map_err(|problem| in_file(path, &problem))
}

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
