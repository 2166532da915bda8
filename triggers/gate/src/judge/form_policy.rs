//! The rules about forms and submits in `policy.json`.

use crate::policy::document::{Canary, Exemption};
use crate::rules::form_rule::FormRule;
use crate::rules::limit_depot_count;
use crate::rules::limit_path_length;
use crate::rules::limit_top_directories;
use crate::rules::limit_view_scope;
use crate::rules::require_client_options;
use crate::rules::suggest_client_options;
use crate::rules::suggest_client_view;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub struct FormPolicy {
    pub contact: String,
    pub help_url: Option<String>,
    /// In the order of the policy, as the rules.
    pub exemptions: Vec<Exemption>,
    pub rules: Vec<NamedRule>,
}

pub struct NamedRule {
    pub name: String,
    /// As a key of the policy names it.
    pub kind: String,
    pub mode: FormMode,
    pub baseline: bool,
    /// Last day of the baseline, `YYYY-MM-DD`; None for one without end.
    pub baseline_until: Option<String>,
    /// One to three lines of the site's own.
    pub advice: Option<String>,
    pub rule: Box<dyn FormRule>,
}

pub enum FormMode {
    Observe,
    Enforce,
    /// Enforced for these, observed for all others.
    Canary(Canary),
}

#[derive(Deserialize)]
struct Document<'a> {
    contact: String,
    #[serde(default)]
    help_url: Option<String>,
    #[serde(default)]
    exemptions: Vec<Exemption>,
    #[serde(borrow)]
    rules: Vec<&'a RawValue>,
}

/// The fields that rules of all kinds have; the others are settings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Common {
    name: String,
    rule: String,
    mode: Mode,
    #[serde(default)]
    canary: Option<Canary>,
    #[serde(default)]
    baseline: bool,
    #[serde(default)]
    baseline_until: Option<String>,
    #[serde(default)]
    advice: Option<String>,
}

const COMMON: [&str; 7] =
    ["name", "rule", "mode", "canary", "baseline", "baseline_until", "advice"];

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Off,
    Observe,
    Enforce,
}

impl FormPolicy {
    pub fn from_json(text: &[u8]) -> Result<Self, String> {
        let document: Document<'_> =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let Document { contact, help_url, exemptions, rules } = document;
        let rules = rules.into_iter().filter_map(|rule| rule_of(rule.get()).transpose());
        Ok(FormPolicy { contact, help_url, exemptions, rules: rules.collect::<Result<_, _>>()? })
    }
}

/// None for a rule that is off, or that judges commands only.
pub fn rule_of(json: &str) -> Result<Option<NamedRule>, String> {
    let mut settings: Map<String, Value> =
        serde_json::from_str(json).map_err(|error| error.to_string())?;
    let common = COMMON.into_iter().filter_map(|key| settings.remove_entry(key)).collect();
    let common: Common = read(common).map_err(|problem| format!("a rule: {problem}"))?;
    let mode = match (common.mode, common.canary) {
        (Mode::Off, _) => return Ok(None),
        (Mode::Observe, _) => FormMode::Observe,
        (Mode::Enforce, None) => FormMode::Enforce,
        (Mode::Enforce, Some(canary)) => FormMode::Canary(canary),
    };
    let (name, kind) = (common.name, common.rule);
    let rule = settings_of(&kind, settings).map_err(|problem| format!("rule {name}: {problem}"))?;
    let advice = common.advice.map(|advice| advice.trim().to_owned());
    Ok(rule.map(|rule| NamedRule {
        name,
        kind,
        mode,
        baseline: common.baseline,
        baseline_until: common.baseline_until,
        advice: advice.filter(|advice| !advice.is_empty()),
        rule,
    }))
}

/// None for a rule about commands.
fn settings_of(
    kind: &str,
    settings: Map<String, Value>,
) -> Result<Option<Box<dyn FormRule>>, String> {
    Ok(Some(match kind {
        "limit_depot_count" => boxed::<limit_depot_count::Settings>(settings)?,
        "limit_path_length" => boxed::<limit_path_length::Settings>(settings)?,
        "limit_top_directories" => boxed::<limit_top_directories::Settings>(settings)?,
        "require_client_options" => boxed::<require_client_options::Settings>(settings)?,
        "limit_view_scope" => boxed::<limit_view_scope::Settings>(settings)?,
        "suggest_client_options" => boxed::<suggest_client_options::Settings>(settings)?,
        "suggest_client_view" => boxed::<suggest_client_view::Settings>(settings)?,
        _ => return Ok(None),
    }))
}

fn boxed<S: FormRule + DeserializeOwned + 'static>(
    settings: Map<String, Value>,
) -> Result<Box<dyn FormRule>, String> {
    Ok(Box::new(read::<S>(settings)?))
}

fn read<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}
