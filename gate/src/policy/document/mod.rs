//! `policy.json` as `activate` writes it, and what the gate takes from it.
//!
//! Rules of kinds that the gate does not judge are left out, and so are rules that are off.

mod parse;
mod programs;
mod rates;
mod scanned;
mod scope;

pub use programs::Program;
pub use rates::{Limit, Part, Rates};
pub use scanned::Scanned;
pub use scope::Scope;

use crate::policy::pressure::Thresholds;
use serde::Deserialize;

/// Of rules, exemptions and limits; far above any use, and the flat form counts in 16 bits.
const MAX_ENTRIES: usize = 10_000;

/// The part of a policy that concerns the gate.
#[derive(Debug)]
pub struct Policy {
    /// SHA-256 of the policy's YAML, in hex.
    pub digest: String,
    /// The contact that a refusal names for questions.
    pub contact: String,
    /// A page about the policy.
    pub help_url: Option<String>,
    /// Whether a fault of our own refuses.
    pub deny_on_error: bool,
    /// When the kernel's own measure counts as pressure.
    pub thresholds: Option<Thresholds>,
    /// Who may pass which rules.
    pub exemptions: Vec<Exemption>,
    /// Those that the gate judges, in policy order.
    pub rules: Vec<Rule>,
}

/// One entry under `exemptions:`; all the fields that are written must match.
#[derive(Debug, Deserialize)]
pub struct Exemption {
    /// Why; it is written to the log.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// Patterns of user names.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    /// Patterns of groups, one of which the user is in.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
    /// Patterns of client names.
    #[serde(default)]
    pub clients: Option<Vec<String>>,
    /// Patterns of program names.
    #[serde(default)]
    pub programs: Option<Vec<String>>,
    /// Names of the rules it lets pass; None for all.
    #[serde(default)]
    pub rules: Option<Vec<String>>,
    /// The last day it holds, `YYYY-MM-DD`.
    #[serde(default)]
    pub until: Option<String>,
}

/// One rule that the gate judges.
#[derive(Debug)]
pub struct Rule {
    /// The name that people see.
    pub name: String,
    /// For whom it acts.
    pub mode: Mode,
    /// The commands it is about.
    pub commands: Vec<String>,
    /// Which rule, and its settings.
    pub kind: Kind,
}

/// For whom a rule acts; everyone else it only observes.
#[derive(Debug)]
pub enum Mode {
    /// For no one.
    Observe,
    /// For everyone.
    Enforce,
    /// For these.
    Canary(Canary),
}

/// The users for whom a rule is enforced first; any of the patterns may fit.
#[derive(Debug, Deserialize)]
pub struct Canary {
    /// Patterns of user names.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    /// Patterns of groups, one of which the user is in.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
}

/// The rules that the gate judges, by their settings.
#[derive(Debug)]
pub enum Kind {
    /// `limit_command_rate`.
    Rate(Rates),
    /// `limit_command_scope`.
    Scope(Scope),
    /// `limit_scanned_rows`.
    Scanned(Scanned),
    /// `block_client_program`.
    Program(Vec<Program>),
}
