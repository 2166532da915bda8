use super::estimate::Estimate;
use super::groups::Groups;
use super::policy_run::PolicyRun;
use p4warden_gate::ask::judge::{Judge, JudgedPolicy};
use p4warden_gate::base::clock::zone;
use p4warden_gate::base::sums::without_sums_if_any;
use p4warden_gate::facts::document::FactsDocument;
use p4warden_gate::judge::command_policy::{NamedRule, Rule};
use p4warden_gate::policy::document::Policy;
use p4warden_gate::policy::modes::Mode;
use p4warden_index::base::fault::Fault;
use p4warden_index::file::index::Index;
use std::path::Path;
use std::rc::Rc;

/// All rules that are enforced for all users share the policy unchanged; each rule that observes
/// some or all users gets the policy with this rule enforced for all users.
pub fn delaying_rules<'t>(
    path: &str,
    text: &'t [u8],
    facts: &FactsDocument<'t>,
) -> Result<Vec<DelayingRules<'t>>, Fault> {
    let policy = Policy::read(text).and_then(|policy| NamedRule::all(&policy));
    let mut result: Vec<DelayingRules<'t>> = Vec::new();
    for named in policy.map_err(|problem| in_file(path, &problem))? {
        let Rule { name, mode, settings, .. } = named.rule;
        if settings.rates().is_none_or(|rates| rates.max_delay_ns == 0) {
            continue;
        }
        let observes = !matches!(mode, Mode::Enforce);
        let shared = result.iter_mut().find(|entry| !observes && !entry.is_switched_on);
        if let Some(shared) = shared {
            shared.rules.push(name.into_owned());
            continue;
        }
        let mut policy = policy_of(path, text, facts)?;
        if observes {
            policy.enforce(&name);
        }
        let rules = vec![name.into_owned()];
        result.push(DelayingRules { rules, policy, is_switched_on: observes });
    }
    Ok(result)
}

/// Rules that delay, with the policy in which they delay all users.
pub struct DelayingRules<'t> {
    pub rules: Vec<String>,
    pub policy: JudgedPolicy<'t>,
    is_switched_on: bool,
}

pub fn policy_of<'t>(
    path: &str,
    text: &'t [u8],
    facts: &FactsDocument<'t>,
) -> Result<JudgedPolicy<'t>, Fault> {
    JudgedPolicy::read(text, facts.clone()).map_err(|problem| in_file(path, &problem))
}

pub fn estimate<'p>(policy: &'p JudgedPolicy<'p>) -> Estimate<'p> {
    Estimate::new(Judge::new(policy, zone().clone()), zone().clone())
}

/// Judges commands at their logged times, not shifted by delays.
pub fn run_of<'p>(policy: &'p JudgedPolicy<'p>) -> PolicyRun<'p> {
    PolicyRun::new(Judge::new(policy, zone().clone()), zone().clone())
}

pub fn facts_of<'t>(path: &str, text: &'t [u8]) -> Result<FactsDocument<'t>, Fault> {
    serde_json::from_slice(text).map_err(|error| in_file(path, &error.to_string()))
}

/// Fails if the server's case handling is
/// known and differs from that of the index.
pub fn read_index(path: &str, case_sensitive: Option<bool>) -> Result<Rc<Index>, Fault> {
    let index = Index::open(Path::new(path));
    let index = index.map_err(|problem| in_file(path, &problem.to_string()))?;
    let of_server = match case_sensitive {
        None => Ok(index),
        Some(case_sensitive) => index.of_case(!case_sensitive),
    };
    of_server.map(Rc::new).map_err(|problem| in_file(path, &problem))
}

pub fn read_groups(path: &str, case_sensitive: bool) -> Result<Groups, Fault> {
    let groups = Groups::from_json(&file(path)?, case_sensitive);
    groups.map_err(|problem| in_file(path, &problem))
}

pub fn file(path: &str) -> Result<Vec<u8>, Fault> {
    let content = std::fs::read(path).map_err(|error| in_file(path, &error.to_string()))?;
    without_sums_if_any(content).map_err(|problem| in_file(path, &problem))
}

fn in_file(path: &str, problem: &str) -> Fault {
    Fault::File(format!("{path}: {problem}"))
}
