//! `policy.json` without rules that are off and those of kinds that the gate does not judge.

mod parse;
mod programs;
mod rates;
mod scan_limits;
mod scope;

pub use programs::Program;
pub use rates::{Limit, Part, Rates, Unit, Weight};
pub use scan_limits::ScanLimits;
pub use scope::Scope;

use crate::policy::pressure::Thresholds;
use serde::Deserialize;

/// Maximum number of rules and of exemptions in a policy, and of limits in a rule; far above any
/// use, and within the 16-bit counters of `gate.policy`.
const MAX_ENTRIES: usize = 10_000;

#[derive(Debug)]
pub struct Policy {
    /// SHA-256 of the YAML text from which the policy was made, in hexadecimal.
    pub digest: String,
    pub contact: String,
    pub help_url: Option<String>,
    pub deny_on_error: bool,
    /// None if the policy does not use the kernel's pressure measure.
    pub thresholds: Option<Thresholds>,
    /// In the order of the policy, as the rules.
    pub exemptions: Vec<Exemption>,
    pub rules: Vec<Rule>,
}

/// Every condition that is set must match the event.
#[derive(Debug, Deserialize)]
pub struct Exemption {
    pub reason: String,
    pub owner: String,
    /// Patterns; None for any user, and so on.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    #[serde(default)]
    pub groups: Option<Vec<String>>,
    #[serde(default)]
    pub clients: Option<Vec<String>>,
    #[serde(default)]
    pub programs: Option<Vec<String>>,
    /// None for all rules.
    #[serde(default)]
    pub rules: Option<Vec<String>>,
    /// Last day on which it is valid, `YYYY-MM-DD`; None if it has no end.
    #[serde(default)]
    pub until: Option<String>,
}

#[derive(Debug)]
pub struct Rule {
    pub name: String,
    pub mode: Mode,
    /// One to three lines; None if the policy gives none.
    pub advice: Option<String>,
    /// Main names or synonyms, such as `sync` or `flush`.
    pub commands: Vec<String>,
    pub kind: Kind,
}

#[derive(Debug)]
pub enum Mode {
    Observe,
    Enforce,
    Canary(Canary),
}

#[derive(Debug, Deserialize)]
pub struct Canary {
    #[serde(default)]
    pub users: Option<Vec<String>>,
    #[serde(default)]
    pub groups: Option<Vec<String>>,
}

#[derive(Debug)]
pub enum Kind {
    Rate(Rates),
    Scope(Scope),
    ScanLimits(ScanLimits),
    Program(Vec<Program>),
}
