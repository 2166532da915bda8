//! The part of every rule of the policy in an answer, `rules`, with the flag `--rules`:
//!
//! `[{"name", "kind", "mode", "acts_as", "judges": ["form-save client"], "asked", "verdict", "value",
//! "max_files", "for": [{"field", "why", "matches"}],
//! "exemptions": [{"number", "misses": [{"field", "why"}]}]}]`, with `--texts` also `answer`, the answer
//! by this rule's verdict alone. `for` compares the event with each field of the rule's selector:
//! `yes`, `no` or `unknown`. `asked` tells whether the rule judges the event; only then there are a
//! verdict, and the exemptions up to the first that applies.

use crate::base::json::Object;
use crate::event::canary::enforces;
use crate::event::exemptions::misses;
use crate::event::selector::{Match, Sender, parts};
use crate::judge::command_outcome::Verdict;
use crate::judge::command_policy::NamedRule;
use crate::judge::form_policy;
use crate::paths::command_synonyms::{names_of, resolve_name};
use crate::policy::document::Policy;
use crate::policy::exemptions::Exemption;
use crate::policy::modes::{Mode, ModeWord};
use crate::policy::rule_fields::RuleFields;
use crate::policy::selector::Selector;
use std::collections::BTreeMap;

pub struct ListedRules<'p> {
    rules: Vec<ListedRule<'p>>,
    exemptions: Vec<Exemption<'p>>,
}

struct ListedRule<'p> {
    name: String,
    kind: String,
    word: ModeWord,
    /// None for a rule that is off.
    mode: Option<Mode<'p>>,
    selector: Option<Selector<'p>>,
    judges: Vec<String>,
    max_files: Option<u64>,
}

/// The part of one rule that judges an event.
pub(super) struct Part {
    pub verdict: Verdict,
    pub value: Option<u64>,
    /// JSON; None without texts.
    pub answer: Option<String>,
}

impl<'p> ListedRules<'p> {
    pub fn of(policy: &Policy<'p>) -> Result<Self, String> {
        let of_commands = NamedRule::all(policy)?;
        let rules = policy.rule_texts().map(|text| rule_of(text, &of_commands));
        let rules = rules.collect::<Result<_, String>>()?;
        Ok(ListedRules { rules, exemptions: policy.exemptions()? })
    }

    /// `parts`, by the names of the rules, are of those that judge the event.
    pub(super) fn write(
        &self,
        to: &mut Object<'_>,
        sender: &Sender<'_>,
        is_trial: bool,
        parts: &BTreeMap<String, Part>,
    ) {
        to.list("rules", &self.rules, |object, rule| {
            let part = parts.get(&rule.name);
            object.text("name", &rule.name).text("kind", &rule.kind);
            object.text("mode", word(rule.word)).text("acts_as", rule.acts_as(sender, is_trial));
            object.texts("judges", &rule.judges);
            object.raw("asked", if part.is_some() { "true" } else { "false" });
            write_selector(object, rule.selector.as_ref().filter(|_| !is_trial), sender);
            object.maybe("verdict", part.map(|part| part.verdict.word()));
            object.maybe_number("value", part.and_then(|part| part.value));
            object.maybe_number("max_files", rule.max_files);
            self.write_exemptions(object, &rule.name, sender, part.is_some() && !is_trial);
            if let Some(answer) = part.and_then(|part| part.answer.as_ref()) {
                object.raw("answer", answer);
            }
        });
    }

    fn write_exemptions(
        &self,
        to: &mut Object<'_>,
        rule: &str,
        sender: &Sender<'_>,
        is_compared: bool,
    ) {
        let mut compared = Vec::new();
        for exemption in self.exemptions.iter().filter(|_| is_compared) {
            compared.push(misses(exemption, rule, sender));
            if compared.last().is_some_and(Vec::is_empty) {
                break;
            }
        }
        to.list("exemptions", compared.iter().enumerate(), |object, (index, misses)| {
            object.number("number", index as u64 + 1).list("misses", misses, |object, miss| {
                object.text("field", miss.field).text("why", &miss.why);
            });
        });
    }
}

fn write_selector(to: &mut Object<'_>, selector: Option<&Selector<'_>>, sender: &Sender<'_>) {
    let parts = selector.map(|selector| parts(selector, sender)).unwrap_or_default();
    to.list("for", parts, |object, part| {
        object.text("field", part.field).text("why", &part.why);
        object.text(
            "matches",
            match part.matches {
                Match::Yes => "yes",
                Match::No => "no",
                Match::Unknown(_) => "unknown",
            },
        );
    });
}

impl ListedRule<'_> {
    fn acts_as(&self, sender: &Sender<'_>, is_trial: bool) -> &'static str {
        match &self.mode {
            None => "off",
            Some(mode) if is_trial || enforces(mode, sender) => "enforce",
            Some(_) => "observe",
        }
    }
}

fn rule_of<'p>(text: &'p str, of_commands: &[NamedRule<'p>]) -> Result<ListedRule<'p>, String> {
    let RuleFields { name, kind, mode: word, canary, selector, .. } = RuleFields::read(text)?;
    let of_forms = form_policy::rule_of(text)?;
    let (mut judges, mut max_files) = (Vec::new(), None);
    if let Some(named) = &of_forms {
        let events = named.rule.events();
        judges.extend(events.iter().map(|(kind, form_type)| match form_type {
            Some(form_type) => format!("{} {form_type}", kind.word()),
            None => kind.word().to_owned(),
        }));
        max_files = named.rule.max_files();
    } else if let Some(named) = of_commands.iter().find(|named| named.rule.name == name) {
        let is_about_running = named.rule.settings.is_about_running();
        let event_kind = if is_about_running { "running" } else { "command" };
        for command in named.commands.iter() {
            let of_command = names_of(resolve_name(command).main_name);
            for name in std::iter::once(&**command).chain(of_command) {
                let event = format!("{event_kind} {}", String::from_utf8_lossy(name));
                if !judges.contains(&event) {
                    judges.push(event);
                }
            }
        }
    }
    let (name, kind, mode) = (name.into_owned(), kind.into_owned(), Mode::of(word, canary));
    Ok(ListedRule { name, kind, word, mode, selector, judges, max_files })
}

fn word(mode: ModeWord) -> &'static str {
    match mode {
        ModeWord::Off => "off",
        ModeWord::Observe => "observe",
        ModeWord::Enforce => "enforce",
    }
}
