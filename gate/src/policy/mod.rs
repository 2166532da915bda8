//! `policy.json` as `activate` writes it, and what the gate takes from it.
//!
//! Rules of kinds that the gate does not judge are left out, and so are rules that are off.

mod document;

use crate::gcra::Rate;
use crate::pressure::{Level, Thresholds};
use serde::Deserialize;

/// The rule that the gate judges.
pub const LIMIT_COMMAND_RATE: &str = "limit_command_rate";

/// What a policy asks of the gate.
#[derive(Debug)]
pub struct Policy {
    /// SHA-256 of the policy's YAML, in hex.
    pub digest: String,
    /// Whom a refusal names for questions.
    pub contact: String,
    /// A page about the policy.
    pub help_url: Option<String>,
    /// Whether a fault of our own refuses.
    pub deny_on_error: bool,
    /// When the kernel's own measure counts as pressure.
    pub thresholds: Option<Thresholds>,
    /// Who may pass which rules.
    pub exemptions: Vec<Exemption>,
    /// The rates, in policy order.
    pub rules: Vec<RateRule>,
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

/// One rule `limit_command_rate`.
#[derive(Debug)]
pub struct RateRule {
    /// What people see.
    pub name: String,
    /// Whether it acts, or only observes.
    pub enforce: bool,
    /// The commands it is about.
    pub commands: Vec<String>,
    /// What must all conform.
    pub limits: Vec<Limit>,
    /// For how long a request may be made to wait; 0 where it is refused at once.
    pub max_delay_ns: u64,
}

/// One of the limits of a rule.
#[derive(Debug)]
pub struct Limit {
    /// What tells requests apart.
    pub per: Vec<Part>,
    /// The rate as the policy writes it.
    pub allow: String,
    /// How many may come at once after a pause.
    pub burst: u64,
    /// What both mean.
    pub rate: Rate,
    /// From which pressure on it is a limit at all.
    pub when: Level,
}

/// What a limit may be kept by.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The user's name.
    User,
    /// The client's name.
    Client,
    /// The address the command comes from.
    Ip,
    /// The program's name.
    Program,
    /// The text of the command's arguments.
    Args,
    /// The command and its words without the files' names.
    Shape,
}
