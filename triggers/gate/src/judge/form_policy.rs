//! The rules about forms and submits in `policy.json`.

use crate::event::form_event::FormEventKind;
use crate::policy::document::Policy;
use crate::policy::exemptions::Exemption;
use crate::policy::kinds::RuleKind;
use crate::policy::modes::{Canary, Mode, ModeWord};
use crate::rules::form_rule::FormRule;
use crate::rules::kinds;
use crate::rules::limit_depot_count;
use crate::rules::limit_path_length;
use crate::rules::limit_top_directories;
use crate::rules::limit_view_scope;
use crate::rules::require_client_options;
use crate::rules::suggest_client_options;
use crate::rules::suggest_client_view;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;

pub struct FormPolicy<'p> {
    pub contact: String,
    pub help_url: Option<String>,
    /// In the order of the policy, as the rules.
    pub exemptions: Vec<Exemption<'p>>,
    pub rules: Vec<NamedRule<'p>>,
}

pub struct NamedRule<'p> {
    pub name: String,
    /// As a key of the policy names it.
    pub kind: String,
    pub mode: Mode<'p>,
    pub baseline: bool,
    /// Last day of the baseline, `YYYY-MM-DD`; None for one without end.
    pub baseline_until: Option<String>,
    /// One to three lines of the site's own.
    pub advice: Option<String>,
    pub rule: Box<dyn FormRule>,
}

/// The fields that rules of all kinds have; the others are settings.
#[derive(Deserialize)]
struct Common<'a> {
    name: String,
    rule: String,
    mode: ModeWord,
    #[serde(borrow, default)]
    canary: Option<Canary<'a>>,
    #[serde(default)]
    baseline: bool,
    #[serde(default)]
    baseline_until: Option<String>,
    #[serde(default)]
    advice: Option<String>,
}

/// As in `Common`.
pub const COMMON: [&str; 7] =
    ["name", "rule", "mode", "canary", "baseline", "baseline_until", "advice"];

impl<'p> FormPolicy<'p> {
    /// Only the rules that judge an event, and no exemption if there are none.
    pub fn about(
        policy: &Policy<'p>,
        kind: FormEventKind,
        form_type: Option<&[u8]>,
    ) -> Result<Self, String> {
        let rules = policy.rule_texts().filter_map(|text| rule_of(text).transpose());
        let mut rules: Vec<_> = rules.collect::<Result<_, _>>()?;
        rules.retain(|rule| rule.rule.judges(kind, form_type));
        let exemptions = if rules.is_empty() { Vec::new() } else { policy.exemptions()? };
        let (contact, help_url) = (policy.contact.clone(), policy.help_url.clone());
        Ok(FormPolicy { contact, help_url, exemptions, rules })
    }

    pub fn of(policy: &Policy<'p>) -> Result<Self, String> {
        let rules = policy.rule_texts().filter_map(|text| rule_of(text).transpose());
        Ok(FormPolicy {
            contact: policy.contact.clone(),
            help_url: policy.help_url.clone(),
            exemptions: policy.exemptions()?,
            rules: rules.collect::<Result<_, _>>()?,
        })
    }
}

/// Whether a rule that is not off judges other events by the last saved form of this type.
pub fn is_noted(policy: &Policy<'_>, form_type: Option<&[u8]>) -> Result<bool, String> {
    let notes = |kind: RuleKind| {
        let noted = kinds::of(kind).noted_forms.iter();
        noted.map(|name| name.as_bytes()).any(|name| Some(name) == form_type)
    };
    let mut heads = policy.rule_texts().map(Head::read);
    heads.try_fold(false, |is_noted, head| {
        let Head { kind, mode } = head?;
        let is_on = mode != ModeWord::Off;
        Ok(is_noted || is_on && RuleKind::of_name(&kind).is_some_and(notes))
    })
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "rule")]
    kind: Cow<'a, str>,
    mode: ModeWord,
}

impl<'a> Head<'a> {
    fn read(json: &'a str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|problem| format!("a rule: {problem}"))
    }
}

/// None for a rule that is off, or that judges commands only.
pub fn rule_of(json: &str) -> Result<Option<NamedRule<'_>>, String> {
    if RuleKind::of_name(&Head::read(json)?.kind).is_none_or(RuleKind::is_about_commands) {
        return Ok(None);
    }
    let mut settings: Map<String, Value> =
        serde_json::from_str(json).map_err(|error| error.to_string())?;
    settings.retain(|key, _| !COMMON.contains(&key.as_str()));
    let common: Common<'_> =
        serde_json::from_str(json).map_err(|problem| format!("a rule: {problem}"))?;
    let Some(mode) = Mode::of(common.mode, common.canary) else { return Ok(None) };
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
    Ok(Some(match RuleKind::of_name(kind) {
        Some(RuleKind::LimitDepotCount) => boxed::<limit_depot_count::Settings>(settings)?,
        Some(RuleKind::LimitPathLength) => boxed::<limit_path_length::Settings>(settings)?,
        Some(RuleKind::LimitTopDirectories) => boxed::<limit_top_directories::Settings>(settings)?,
        Some(RuleKind::LimitViewScope) => boxed::<limit_view_scope::Settings>(settings)?,
        Some(RuleKind::RequireClientOptions) => {
            boxed::<require_client_options::Settings>(settings)?
        }
        Some(RuleKind::SuggestClientOptions) => {
            boxed::<suggest_client_options::Settings>(settings)?
        }
        Some(RuleKind::SuggestClientView) => boxed::<suggest_client_view::Settings>(settings)?,
        Some(
            RuleKind::BlockClientProgram
            | RuleKind::LimitCommandRate
            | RuleKind::LimitCommandScope
            | RuleKind::LimitScannedRows,
        )
        | None => return Ok(None),
    }))
}

fn boxed<S: FormRule + DeserializeOwned + 'static>(
    settings: Map<String, Value>,
) -> Result<Box<dyn FormRule>, String> {
    Ok(Box::new(read::<S>(settings)?))
}

/// `fields` has the settings of a rule alone.
pub fn read<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}
