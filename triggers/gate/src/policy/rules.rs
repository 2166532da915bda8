//! The rules about commands, and the exemptions that may excuse from them.

use crate::base::json_text::Text;
use crate::paths::command_synonyms::resolve_name;
use crate::policy::exemptions::Exemption;
use crate::policy::modes::Mode;
use crate::policy::pressure::Level;
use crate::policy::programs::Programs;
use crate::policy::rates::{self, Rates};
use crate::policy::rule_fields::{Common, ModeWord, RuleFields};
use crate::policy::scan_limits::ScanLimits;
use crate::policy::scope::Scope;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// Kinds of rules that the worker judges.
const ABOUT_FORMS: [&str; 7] = [
    "limit_depot_count",
    "limit_path_length",
    "limit_top_directories",
    "limit_view_scope",
    "require_client_options",
    "suggest_client_options",
    "suggest_client_view",
];

#[derive(Debug, Default)]
pub struct Rules<'a> {
    /// In the order of the policy.
    pub rules: Vec<Rule<'a>>,
    /// In the order of the policy: those that concern one of the rules.
    pub exemptions: Vec<Exemption<'a>>,
}

#[derive(Debug)]
pub struct Rule<'a> {
    pub name: Cow<'a, str>,
    /// One to three lines; None if the policy gives none.
    pub advice: Option<String>,
    pub mode: Mode<'a>,
    pub kind: Kind<'a>,
    /// The command must have one of them, such as `-k` for `sync` if the rule names only `flush`;
    /// empty if the rule covers it with any arguments.
    pub required_words: Vec<&'static str>,
}

#[derive(Debug)]
pub enum Kind<'a> {
    Rate(Rates),
    Scope(Scope<'a>),
    ScanLimits(ScanLimits),
    Program(Programs<'a>),
}

impl Kind<'_> {
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Rate(_) => "limit_command_rate",
            Kind::Scope(_) => "limit_command_scope",
            Kind::ScanLimits(_) => "limit_scanned_rows",
            Kind::Program(_) => "block_client_program",
        }
    }

    #[must_use]
    pub fn needs_an_estimate(&self) -> bool {
        match self {
            Kind::Rate(rates) => rates.weight.is_some(),
            Kind::ScanLimits(_) => true,
            Kind::Scope(_) | Kind::Program(_) => false,
        }
    }
}

impl Rules<'_> {
    #[must_use]
    pub fn need_the_pressure(&self) -> bool {
        self.rules.iter().any(|rule| match &rule.kind {
            Kind::Rate(rates) => rates.min_level > Level::Low,
            Kind::Scope(_) | Kind::ScanLimits(_) | Kind::Program(_) => false,
        })
    }

    #[must_use]
    pub fn need_the_depots(&self) -> bool {
        let needs = |kind: &Kind<'_>| kind.needs_an_estimate() || matches!(kind, Kind::Scope(_));
        self.rules.iter().any(|rule| needs(&rule.kind))
    }
}

/// A rule with the commands that the policy names: main names or synonyms, such as `sync` or
/// `flush`.
#[derive(Debug)]
pub struct NamedRule<'a> {
    pub rule: Rule<'a>,
    pub commands: Vec<Text<'a>>,
}

impl<'a> NamedRule<'a> {
    /// None if the rule is off or about forms.
    pub(super) fn read(text: &'a str) -> Result<Option<Self>, String> {
        let head: Head<'a> =
            serde_json::from_str(text).map_err(|error| format!("a rule: {error}"))?;
        let read = match &*head.rule {
            "block_client_program" => settings::<Programs<'a>>(text).and_then(|(common, one)| {
                one.checked().map(|one| (common, Some(Kind::Program(one))))
            }),
            "limit_command_rate" => settings::<rates::Document>(text).and_then(|(common, one)| {
                one.checked(&head.name).map(|one| (common, Some(Kind::Rate(one))))
            }),
            "limit_command_scope" => settings::<Scope<'a>>(text).and_then(|(common, one)| {
                one.checked().map(|one| (common, Some(Kind::Scope(one))))
            }),
            "limit_scanned_rows" => settings::<ScanLimits>(text)
                .map(|(common, one)| (common, Some(Kind::ScanLimits(one)))),
            kind if ABOUT_FORMS.contains(&kind) => {
                settings::<IgnoredAny>(text).map(|(common, _)| (common, None))
            }
            kind => Err(format!("{kind:?} is no kind of rule that this release knows")),
        };
        let named = read.and_then(|(common, kind)| NamedRule::of(&head, common, kind));
        named.map_err(|problem| format!("rule {}: {problem}", head.name))
    }

    fn of(
        head: &Head<'a>,
        common: Common<'a>,
        kind: Option<Kind<'a>>,
    ) -> Result<Option<Self>, String> {
        let Some(kind) = kind else { return Ok(None) };
        let commands = common.commands.ok_or("missing field `commands`")?;
        let mode = match (common.mode, common.canary) {
            (None | Some(ModeWord::Off), _) => return Ok(None),
            (Some(ModeWord::Observe), _) => Mode::Observe,
            (Some(ModeWord::Enforce), None) => Mode::Enforce,
            (Some(ModeWord::Enforce), Some(canary)) => Mode::Canary(canary),
        };
        let (name, advice) = (head.name.clone(), common.advice);
        let rule = Rule { name, advice, mode, kind, required_words: Vec::new() };
        Ok(Some(NamedRule { rule, commands }))
    }

    /// By its main name; None if the rule does not cover the command.
    pub(super) fn about(self, main_name: &[u8]) -> Option<Rule<'a>> {
        let names = self.commands.iter().map(|command| resolve_name(command));
        let mut required_words: Vec<_> =
            names.filter(|name| name.main_name == main_name).map(|name| name.addition).collect();
        if required_words.is_empty() {
            return None;
        }
        if required_words.contains(&"") {
            required_words.clear();
        }
        Some(Rule { required_words, ..self.rule })
    }
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    rule: Cow<'a, str>,
}

fn settings<'a, S: Deserialize<'a>>(text: &'a str) -> Result<(Common<'a>, S), String> {
    let fields: RuleFields<'a, S> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok((fields.common, fields.settings))
}
