//! `policy.json` as `activate` writes it, reduced to the parts that the gate uses.
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

/// Maximum number of rules, of exemptions and of limits; far above any use, and within the 16-bit
/// counters of `gate.policy`.
const MAX_ENTRIES: usize = 10_000;

/// The part of a policy that the gate uses.
#[derive(Debug)]
pub struct Policy {
    /// SHA-256 of the policy's YAML text, in hexadecimal.
    pub digest: String,
    /// The contact for questions, named in every refusal.
    pub contact: String,
    /// Address of a page about the policy.
    pub help_url: Option<String>,
    /// Whether an event is refused when p4warden itself fails.
    pub deny_on_error: bool,
    /// Thresholds for the kernel's pressure measure; None if it is not used.
    pub thresholds: Option<Thresholds>,
    /// The exemptions from rules.
    pub exemptions: Vec<Exemption>,
    /// The rules that the gate judges, in policy order.
    pub rules: Vec<Rule>,
}

/// One entry under `exemptions:`; every field that is set must match.
#[derive(Debug, Deserialize)]
pub struct Exemption {
    /// Reason for the exemption, written to the log.
    pub reason: String,
    /// Person or team responsible for the exemption.
    pub owner: String,
    /// Patterns of user names.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    /// Patterns of group names; one must match a group of the user.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
    /// Patterns of client names.
    #[serde(default)]
    pub clients: Option<Vec<String>>,
    /// Patterns of program names.
    #[serde(default)]
    pub programs: Option<Vec<String>>,
    /// Names of the rules that the exemption covers; None for all rules.
    #[serde(default)]
    pub rules: Option<Vec<String>>,
    /// Last day on which the exemption is valid, `YYYY-MM-DD`.
    #[serde(default)]
    pub until: Option<String>,
}

/// One rule that the gate judges.
#[derive(Debug)]
pub struct Rule {
    /// The rule's name in messages and logs.
    pub name: String,
    /// The users for whom the rule acts.
    pub mode: Mode,
    /// The site's own advice text, shown in the rule's refusals; one to three lines.
    pub advice: Option<String>,
    /// Names of the commands that the rule covers.
    pub commands: Vec<String>,
    /// The kind of the rule, with its settings.
    pub kind: Kind,
}

/// The users for whom a rule acts; the rule only observes everyone else.
#[derive(Debug)]
pub enum Mode {
    /// The rule acts for nobody.
    Observe,
    /// The rule acts for everyone.
    Enforce,
    /// The rule acts for the users of the canary.
    Canary(Canary),
}

/// The users for whom a rule is enforced first; one matching pattern is enough.
#[derive(Debug, Deserialize)]
pub struct Canary {
    /// Patterns of user names.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    /// Patterns of group names; one must match a group of the user.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
}

/// The kinds of rules that the gate judges, each with its settings.
#[derive(Debug)]
pub enum Kind {
    /// Settings of `limit_command_rate`.
    Rate(Rates),
    /// Settings of `limit_command_scope`.
    Scope(Scope),
    /// Settings of `limit_scanned_rows`.
    Scanned(Scanned),
    /// Settings of `block_client_program`.
    Program(Vec<Program>),
}
