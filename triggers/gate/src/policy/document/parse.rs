//! Parser of `policy.json`, which `p4warden activate` writes.

use super::{
    Canary, Exemption, Kind, MAX_ENTRIES, Mode, Policy, Rule, programs, rates, scan_limits, scope,
};
use crate::policy::pressure::Thresholds;
use serde::Deserialize;
use serde_json::Value;

const FORMAT: u32 = 1;

impl Policy {
    pub fn from_json(text: &[u8]) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if document.format != FORMAT {
            return Err(format!("it has format {}, this release reads {FORMAT}", document.format));
        }
        if document.exemptions.len() > MAX_ENTRIES || document.rules.len() > MAX_ENTRIES {
            return Err(format!("it has over {MAX_ENTRIES} rules or exemptions"));
        }
        let rules = document.rules.into_iter().filter_map(|document| rule(document).transpose());
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

/// `settings` holds the fields that each kind parses itself.
#[derive(Deserialize)]
struct RuleDocument {
    name: String,
    mode: ModeDocument,
    #[serde(default)]
    canary: Option<Canary>,
    #[serde(default)]
    advice: Option<String>,
    commands: Vec<String>,
    #[serde(flatten)]
    settings: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ModeDocument {
    Off,
    Observe,
    Enforce,
}

/// None if the rule is off or of a kind that the gate does not judge.
fn rule(document: Value) -> Result<Option<Rule>, String> {
    let Some(parse_settings) = document.get("rule").and_then(Value::as_str).and_then(reader) else {
        return Ok(None);
    };
    let rule: RuleDocument =
        serde_json::from_value(document).map_err(|error| format!("a rule: {error}"))?;
    let mode = match (rule.mode, rule.canary) {
        (ModeDocument::Off, _) => return Ok(None),
        (ModeDocument::Observe, _) => Mode::Observe,
        (ModeDocument::Enforce, None) => Mode::Enforce,
        (ModeDocument::Enforce, Some(canary)) => Mode::Canary(canary),
    };
    let kind = parse_settings(rule.settings)
        .map_err(|problem| format!("rule {}: {problem}", rule.name))?;
    let RuleDocument { name, advice, commands, .. } = rule;
    Ok(Some(Rule { name, mode, advice, commands, kind }))
}

fn reader(rule: &str) -> Option<fn(Value) -> Result<Kind, String>> {
    match rule {
        "block_client_program" => Some(|settings| programs::read(settings).map(Kind::Program)),
        "limit_command_rate" => Some(|settings| rates::read(settings).map(Kind::Rate)),
        "limit_command_scope" => Some(|settings| scope::read(settings).map(Kind::Scope)),
        "limit_scanned_rows" => Some(|settings| scan_limits::read(settings).map(Kind::ScanLimits)),
        _ => None,
    }
}
