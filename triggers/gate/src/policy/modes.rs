//! The mode of one rule: the users for whom the rule is enforced.

use crate::policy::patterns::Patterns;
use serde::Deserialize;

#[derive(Clone, Debug)]
pub enum Mode<'a> {
    Observe,
    Enforce,
    Canary(Canary<'a>),
}

/// A user belongs to the canary by name or by a group.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canary<'a> {
    #[serde(borrow, default)]
    pub users: Option<Patterns<'a>>,
    #[serde(borrow, default)]
    pub groups: Option<Patterns<'a>>,
}

/// As the policy writes it.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ModeWord {
    Off,
    Observe,
    Enforce,
}

impl<'a> Mode<'a> {
    /// None if the rule is off. A canary counts only for an enforced rule.
    #[must_use]
    pub fn of(word: ModeWord, canary: Option<Canary<'a>>) -> Option<Self> {
        match (word, canary) {
            (ModeWord::Off, _) => None,
            (ModeWord::Observe, _) => Some(Mode::Observe),
            (ModeWord::Enforce, None) => Some(Mode::Enforce),
            (ModeWord::Enforce, Some(canary)) => Some(Mode::Canary(canary)),
        }
    }

    #[must_use]
    pub fn problem(&self) -> Option<serde_json::Error> {
        let Mode::Canary(Canary { users, groups }) = self else { return None };
        [users, groups].into_iter().flatten().find_map(|list| list.read().err())
    }
}
