//! The rules about commands in `policy.json`, and the exemptions that may excuse from them.

use crate::base::json_text::Text;
use crate::contract::command_rule::CommandRule;
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::event::command_event::Event;
use crate::event::coverage::has_one_of;
use crate::event::selector::Match;
use crate::paths::command_synonyms::resolve_name;
use crate::policy::document::Policy;
use crate::policy::exemptions::Exemption;
use crate::policy::modes::Mode;
use crate::policy::rates::Rates;
use crate::policy::rule_fields::RuleFields;
use crate::policy::selector::Selector;
use crate::rules::kinds;
use std::borrow::Cow;

/// Those for one command.
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
    /// Of the events that the rule is about; None for all.
    pub selector: Option<Selector<'a>>,
    pub kind: &'static KindOfRule,
    pub settings: Box<dyn CommandRule + 'a>,
    /// Whether it never stops a command of which it allows a reading.
    pub allows_unusual: bool,
    /// The command must have one of them, such as `-k` for `sync` if the rule names only `flush`;
    /// empty if the rule covers it with any arguments.
    pub required_words: Vec<&'static str>,
}

impl Rule<'_> {
    /// `about` tells whether the event is of those that the rule's selector is about.
    pub fn covers(&self, about: Match, event: &Event<'_>) -> Match {
        about.and(has_one_of(&self.required_words, event))
    }
}

impl<'a> Rules<'a> {
    /// About a command that is sent, by its main name.
    pub fn about(policy: &Policy<'a>, main_name: &[u8]) -> Result<Self, String> {
        Self::of(policy, main_name, false)
    }

    /// As `about`, for a command that runs already.
    pub fn about_running(policy: &Policy<'a>, main_name: &[u8]) -> Result<Self, String> {
        Self::of(policy, main_name, true)
    }

    fn of(policy: &Policy<'a>, main_name: &[u8], is_running: bool) -> Result<Self, String> {
        let mut rules = Vec::new();
        for text in policy.rules_naming(main_name) {
            let named = NamedRule::read(text)?;
            let asked = named.filter(|one| one.rule.settings.is_about_running() == is_running);
            rules.extend(asked.and_then(|named| named.about(main_name)));
        }
        let mut exemptions = if rules.is_empty() { Vec::new() } else { policy.exemptions()? };
        exemptions.retain(|entry| rules.iter().any(|rule: &Rule<'_>| entry.concerns(&rule.name)));
        Ok(Rules { rules, exemptions })
    }

    pub fn need_the_level(&self) -> bool {
        self.rates().any(Rates::need_the_level)
    }

    pub fn need_the_lock_waiters(&self) -> bool {
        self.rates().any(|rates| rates.lock_waiters().is_some())
    }

    fn rates(&self) -> impl Iterator<Item = &Rates> {
        self.rules.iter().filter_map(|rule| rule.settings.rates())
    }

    pub fn need_the_end(&self) -> bool {
        self.rules.iter().any(|rule| rule.settings.concurrency().is_some())
    }

    pub fn need_the_depots(&self) -> bool {
        self.rules.iter().any(|rule| rule.settings.needs_the_depots())
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
        let mut fields = RuleFields::read(text)?;
        let kind = kinds::of(&fields.kind).map_err(|problem| fields.problem(&problem))?;
        let Reader::OfCommands(read) = kind.read else { return Ok(None) };
        let settings = read(&fields.name, text).map_err(|problem| fields.problem(&problem))?;
        let commands = fields.commands.take();
        let commands = commands.ok_or_else(|| fields.problem("missing field `commands`"))?;
        let RuleFields { name, mode, canary, selector, advice, unusual, .. } = fields;
        let Some(mode) = Mode::of(mode, canary) else { return Ok(None) };
        let (required_words, allows_unusual) = (Vec::new(), unusual.is_some());
        let rule =
            Rule { name, advice, mode, selector, kind, settings, allows_unusual, required_words };
        Ok(Some(NamedRule { rule, commands }))
    }

    /// Those that are not off, in the order of the policy.
    pub fn all(policy: &Policy<'a>) -> Result<Vec<Self>, String> {
        policy.rule_texts().map(NamedRule::read).filter_map(Result::transpose).collect()
    }

    /// By its main name; None if the rule does not cover the command.
    fn about(self, main_name: &[u8]) -> Option<Rule<'a>> {
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
