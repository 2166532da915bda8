//! `policy.json`, which `p4warden activate` writes.

use crate::paths::command_synonyms::names_of;
use crate::policy::exemptions::Exemption;
use crate::policy::pressure::Measures;
use crate::policy::rule_fields::name_of;
use crate::policy::selector::Classes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// Once a format is released, the next one also gets another file name, because an upgrade writes
/// the new version's file while the old version still runs with its own.
const FORMAT: u32 = 1;

/// The `policy.json` of a policy without rules.
pub const EMPTY: &str = r#"{"format": 1, "digest": "", "contact": "", "rules": []}"#;

/// Rules and exemptions stay JSON until one event needs them, so those for other commands cost
/// little.
#[derive(Debug)]
pub struct Policy<'a> {
    /// SHA-256 of the YAML text from which the policy was made, in hexadecimal.
    pub digest: String,
    pub contact: String,
    pub help_url: Option<String>,
    pub deny_on_error: bool,
    pub measures: Measures<'a>,
    /// Of commands to which a rule objects, in the decision log.
    pub log_arguments: bool,
    classes: Option<&'a RawValue>,
    exemptions: Vec<&'a RawValue>,
    rules: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    format: u32,
    digest: String,
    contact: String,
    #[serde(default)]
    help_url: Option<String>,
    #[serde(default)]
    on_error: OnError,
    #[serde(borrow, default)]
    pressure: Option<Measures<'a>>,
    #[serde(borrow, default)]
    classes: Option<&'a RawValue>,
    #[serde(default)]
    log_arguments: bool,
    #[serde(borrow, default)]
    exemptions: Vec<&'a RawValue>,
    #[serde(borrow)]
    rules: Vec<&'a RawValue>,
    /// The needs of its trigger lines, which p4warden's Python programs read.
    #[serde(rename = "lines", default)]
    _lines: IgnoredAny,
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum OnError {
    #[default]
    Allow,
    Deny,
}

impl<'a> Policy<'a> {
    pub fn read(text: &'a [u8]) -> Result<Self, String> {
        let text = str::from_utf8(text).map_err(|error| error.to_string())?;
        let document = serde_json::from_str(text).map_err(|error| problem(text, &error))?;
        let Document { digest, contact, help_url, classes, exemptions, rules, .. } = document;
        if document.format != FORMAT {
            return Err(of_other_format(document.format));
        }
        let deny_on_error = document.on_error == OnError::Deny;
        let measures = document.pressure.unwrap_or_default();
        let log_arguments = document.log_arguments;
        Ok(Policy {
            digest,
            contact,
            help_url,
            deny_on_error,
            measures,
            log_arguments,
            classes,
            exemptions,
            rules,
        })
    }

    /// The policy with only the rule of this name, if there is one, and all exemptions.
    pub fn only(&self, rule: &str) -> Policy<'a> {
        let is_named = |text: &&&RawValue| name_of(text.get()).is_some_and(|name| name == rule);
        let rules = self.rules.iter().filter(is_named).copied().collect();
        Policy {
            digest: self.digest.clone(),
            contact: self.contact.clone(),
            help_url: self.help_url.clone(),
            deny_on_error: self.deny_on_error,
            measures: self.measures.clone(),
            log_arguments: self.log_arguments,
            classes: self.classes,
            exemptions: self.exemptions.clone(),
            rules,
        }
    }

    /// As JSON: those that may be about a command, by its main name.
    pub fn rules_naming(&self, main_name: &[u8]) -> impl Iterator<Item = &'a str> {
        let names: Vec<_> = names_of(main_name).map(|name| [b"\"", name, b"\""].concat()).collect();
        self.rule_texts().filter(move |text| names_any(text, &names))
    }

    /// The rules as JSON, in the order of the policy.
    pub fn rule_texts(&self) -> impl Iterator<Item = &'a str> {
        self.rules.iter().map(|text| text.get())
    }

    /// None of them if they cannot be read.
    pub fn classes(&self) -> Classes<'a> {
        let read = |text: &'a RawValue| serde_json::from_str(text.get()).ok();
        self.classes.and_then(read).unwrap_or_default()
    }

    /// All of them, in the order of the policy.
    pub fn exemptions(&self) -> Result<Vec<Exemption<'a>>, String> {
        self.exemptions.iter().map(|text| exemption(text)).collect()
    }

    /// Why triggers could not read an exemption.
    pub fn exemption_problems(&self) -> impl Iterator<Item = String> {
        self.exemptions.iter().filter_map(|text| match exemption(text) {
            Err(problem) => Some(problem),
            Ok(entry) => entry.problem().map(|error| format!("an exemption: {error}")),
        })
    }
}

/// Another format may have other fields.
fn problem(text: &str, error: &serde_json::Error) -> String {
    match serde_json::from_str(text) {
        Ok(Format { format }) if format != FORMAT => of_other_format(format),
        _ => error.to_string(),
    }
}

fn of_other_format(format: u32) -> String {
    format!("it has format {format}, this release reads {FORMAT}")
}

fn exemption<'a>(text: &'a RawValue) -> Result<Exemption<'a>, String> {
    serde_json::from_str(text.get()).map_err(|error| format!("an exemption: {error}"))
}

/// A name that the schema accepts has no character that JSON writes in another way.
fn names_any(rule: &str, quoted_names: &[Vec<u8>]) -> bool {
    quoted_names.iter().any(|name| memchr::memmem::find(rule.as_bytes(), name).is_some())
}
