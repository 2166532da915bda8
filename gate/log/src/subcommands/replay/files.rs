//! The files that a replay is given.

use super::groups::Groups;
use super::side::Side;
use crate::subcommands::options::Trouble;
use p4warden_gate::base::clock::zone;
use p4warden_gate::offline::judge::{FactsDocument, Judge};
use p4warden_gate::policy::compiled::{Extras, encode};
use p4warden_gate::policy::document::Policy;

/// A policy in the form that the gate reads.
pub fn flat(path: &str, facts: FactsDocument) -> Result<Vec<u8>, Trouble> {
    let policy = Policy::from_json(&file(path)?).map_err(|problem| in_file(path, &problem))?;
    let case_sensitive = facts.case_sensitive.unwrap_or(true);
    let depots = facts.depots.0;
    Ok(encode(&policy, &Extras { case_sensitive, deadline_ns: 1, worker: None, depots }))
}

/// One that judges by it, with no rates yet.
pub fn side(policy: &[u8]) -> Result<Side<'_>, Trouble> {
    let judge = Judge::new(policy, zone());
    let judge = judge.map_err(|_| Trouble::File("the policy is damaged".to_owned()))?;
    Ok(Side::new(judge, zone()))
}

/// What is known of the server.
pub fn read_facts(path: &str) -> Result<FactsDocument, Trouble> {
    serde_json::from_slice(&file(path)?).map_err(|error| in_file(path, &error.to_string()))
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
