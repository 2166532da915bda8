//! A kind of rule: how its rules are read, and what the programs that check and install a policy
//! need of it.

use crate::contract::command_rule::{CommandRule, ReadRule};
use crate::contract::form_rule::FormRule;
use crate::contract::remarks::{Document, Remarks};
use crate::policy::rule_fields::settings;
use serde::de::DeserializeOwned;

#[derive(Debug)]
pub struct KindOfRule {
    /// As a policy writes it.
    pub name: &'static str,
    /// The rule's objection, a constant text.
    pub summary: &'static str,
    /// The events of trigger lines that rules of the kind may judge.
    pub events: &'static [&'static str],
    pub read: Reader,
    pub remarks: fn(&Document, &mut Remarks),
}

/// Reads the settings of a rule from its JSON.
#[derive(Debug)]
pub enum Reader {
    /// With the name of the rule.
    OfCommands(for<'a> fn(&str, &'a str) -> ReadRule<'a>),
    OfForms(fn(&str) -> Result<Box<dyn FormRule>, String>),
}

pub fn of_commands<S: CommandRule + DeserializeOwned + 'static>(
    _: &str,
    rule: &str,
) -> ReadRule<'static> {
    Ok(Box::new(settings::<S>(rule)?))
}

pub fn of_forms<S: FormRule + DeserializeOwned + 'static>(
    rule: &str,
) -> Result<Box<dyn FormRule>, String> {
    Ok(Box::new(settings::<S>(rule)?))
}

pub fn no_remarks(_: &Document, _: &mut Remarks) {}
