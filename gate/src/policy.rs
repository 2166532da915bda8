//! `policy.json` as `activate` writes it, and what the gate takes from it.
//!
//! Rules of kinds that the gate does not judge are left out, and so are rules that are off.

use crate::gcra::Rate;
use crate::limits;
use crate::pressure::{Level, Thresholds};
use serde::Deserialize;

/// The rule that the gate judges.
pub const LIMIT_COMMAND_RATE: &str = "limit_command_rate";
const FORMAT: u32 = 1;
/// Far above any use; the flat form counts in 16 bits.
const MAX_ENTRIES: usize = 10_000;

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

impl Policy {
    /// Reads the text of `policy.json`.
    pub fn from_json(text: &[u8]) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if document.format != FORMAT {
            return Err(format!("it has format {}, this release reads {FORMAT}", document.format));
        }
        if document.exemptions.len() > MAX_ENTRIES || document.rules.len() > MAX_ENTRIES {
            return Err(format!("it has over {MAX_ENTRIES} rules or exemptions"));
        }
        let rules = document.rules.into_iter().filter_map(|rule| rate_rule(rule).transpose());
        Ok(Policy {
            digest: document.digest,
            contact: document.contact,
            help_url: document.help_url,
            deny_on_error: document.on_error == OnError::Deny,
            thresholds: document.pressure,
            exemptions: document.exemptions,
            rules: rules.collect::<Result<_, _>>()?,
        })
    }
}

#[derive(Deserialize)]
struct Document {
    format: u32,
    digest: String,
    contact: String,
    #[serde(default)]
    help_url: Option<String>,
    #[serde(default)]
    on_error: OnError,
    #[serde(default)]
    pressure: Option<Thresholds>,
    #[serde(default)]
    exemptions: Vec<Exemption>,
    rules: Vec<serde_json::Value>,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum OnError {
    #[default]
    Allow,
    Deny,
}

#[derive(Deserialize)]
struct RuleDocument {
    name: String,
    mode: Mode,
    commands: Vec<String>,
    limits: Vec<LimitDocument>,
    #[serde(default)]
    action: Action,
    #[serde(default)]
    max_delay: Option<String>,
}

#[derive(Deserialize)]
struct LimitDocument {
    per: Vec<Part>,
    allow: String,
    #[serde(default)]
    burst: Option<u64>,
    #[serde(default)]
    when_pressure: Option<Level>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Off,
    Observe,
    Enforce,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    Refuse,
    Delay,
}

/// The rule, or None if it is not for the gate or off.
fn rate_rule(document: serde_json::Value) -> Result<Option<RateRule>, String> {
    if document.get("rule").and_then(|rule| rule.as_str()) != Some(LIMIT_COMMAND_RATE) {
        return Ok(None);
    }
    let rule: RuleDocument = serde_json::from_value(document)
        .map_err(|error| format!("a rule {LIMIT_COMMAND_RATE}: {error}"))?;
    if rule.mode == Mode::Off {
        return Ok(None);
    }
    if rule.limits.len() > MAX_ENTRIES {
        return Err(format!("rule {}: it has over {MAX_ENTRIES} limits", rule.name));
    }
    let limits = rule.limits.into_iter().map(limit).collect::<Result<_, _>>();
    Ok(Some(RateRule {
        limits: limits.map_err(|problem| format!("rule {}: {problem}", rule.name))?,
        max_delay_ns: max_delay_ns(&rule.action, rule.max_delay.as_deref())
            .ok_or_else(|| format!("rule {}: delay needs a max_delay such as 2s", rule.name))?,
        name: rule.name,
        enforce: rule.mode == Mode::Enforce,
        commands: rule.commands,
    }))
}

fn max_delay_ns(action: &Action, max_delay: Option<&str>) -> Option<u64> {
    match action {
        Action::Refuse => Some(0),
        Action::Delay => max_delay.and_then(limits::duration_ns),
    }
}

fn limit(document: LimitDocument) -> Result<Limit, String> {
    let burst = document.burst.unwrap_or(1);
    let rate = limits::rate(&document.allow, burst)
        .ok_or_else(|| format!("{:?} with burst {burst} is no rate", document.allow))?;
    Ok(Limit {
        per: document.per,
        allow: document.allow,
        burst,
        rate,
        when: document.when_pressure.unwrap_or(Level::Low),
    })
}
