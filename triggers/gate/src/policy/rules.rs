//! The rules about commands, and the exemptions that may excuse from them.

use crate::base::json_text::Text;
use crate::paths::command_synonyms::resolve_name;
use crate::policy::exemptions::Exemption;
use crate::policy::kinds::RuleKind;
use crate::policy::modes::Mode;
use crate::policy::pressure::Level;
use crate::policy::programs::Programs;
use crate::policy::rates::Rates;
use crate::policy::rule_fields::{RuleFields, Settings};
use crate::policy::scan_limits::ScanLimits;
use crate::policy::scope::Scope;
use std::borrow::Cow;

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
    pub fn name(&self) -> RuleKind {
        match self {
            Kind::Rate(_) => RuleKind::LimitCommandRate,
            Kind::Scope(_) => RuleKind::LimitCommandScope,
            Kind::ScanLimits(_) => RuleKind::LimitScannedRows,
            Kind::Program(_) => RuleKind::BlockClientProgram,
        }
    }

    #[must_use]
    pub fn word(&self) -> &'static str {
        self.name().name()
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
    pub fn read(text: &'a str) -> Result<Option<Self>, String> {
        let RuleFields { name, mode, canary, advice, commands, settings } = RuleFields::read(text)?;
        let problem_of = |problem: String| format!("rule {name}: {problem}");
        let kind = match settings {
            Settings::OfForms => return Ok(None),
            Settings::Rate(one) => one.checked(&name).map(Kind::Rate),
            Settings::Scope(one) => one.checked().map(Kind::Scope),
            Settings::ScanLimits(one) => Ok(Kind::ScanLimits(one)),
            Settings::Program(one) => one.checked().map(Kind::Program),
        };
        let kind = kind.map_err(problem_of)?;
        let commands = commands.ok_or_else(|| problem_of("missing field `commands`".to_owned()))?;
        let Some(mode) = Mode::of(mode, canary) else { return Ok(None) };
        let rule = Rule { name, advice, mode, kind, required_words: Vec::new() };
        Ok(Some(NamedRule { rule, commands }))
    }

    /// By its main name; None if the rule does not cover the command.
    pub(super) fn about(self, main_name: &[u8]) -> Option<Rule<'a>> {
        let names = self.commands.iter().map(|command| resolve_name(command));
        let names = names.filter(|name| name.main_name == main_name);
        let (mut is_covered, mut has_any_arguments, mut required_words) =
            (false, false, Vec::new());
        for name in names {
            is_covered = true;
            match name.addition {
                "" => has_any_arguments = true,
                addition => required_words.push(addition),
            }
        }
        if has_any_arguments {
            required_words.clear();
        }
        is_covered.then_some(Rule { required_words, ..self.rule })
    }
}
