//! The text of `policy.json` -> a policy.

use super::{Exemption, LIMIT_COMMAND_RATE, Limit, Part, Policy, RateRule};
use crate::limits;
use crate::pressure::{Level, Thresholds};
use serde::Deserialize;

const FORMAT: u32 = 1;
/// Far above any use; the flat form counts in 16 bits.
const MAX_ENTRIES: usize = 10_000;

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
