//! A kind of rule: how its rules are read, and what the programs that check and install a policy
//! need of it.

use crate::policy::rule_fields::settings;
use crate::rules::command_rule::ReadRule;
use crate::rules::form_rule::FormRule;
use crate::rules::remarks::{Document, Remarks};
use serde::de::DeserializeOwned;
use std::fmt;

pub struct KindOfRule {
    /// As a policy writes it.
    pub name: &'static str,
    /// The rule's objection, a constant text.
    pub summary: &'static str,
    /// The events of trigger lines that rules of the kind may judge.
    pub events: &'static [&'static str],
    /// Saved forms, by type, that triggers record for the rule, because a command is judged by the
    /// form last saved.
    pub noted_forms: &'static [&'static str],
    pub read: Reader,
    pub remarks: fn(&Document, &mut Remarks),
}

impl fmt::Debug for KindOfRule {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name)
    }
}

/// Reads the settings of a rule from its JSON.
pub enum Reader {
    /// With the name of the rule.
    OfCommands(for<'a> fn(&str, &'a str) -> ReadRule<'a>),
    OfForms(fn(&str) -> Result<Box<dyn FormRule>, String>),
}

pub fn of_forms<S: FormRule + DeserializeOwned + 'static>(
    rule: &str,
) -> Result<Box<dyn FormRule>, String> {
    Ok(Box::new(settings::<S>(rule)?))
}

pub fn no_remarks(_: &Document, _: &mut Remarks) {}
