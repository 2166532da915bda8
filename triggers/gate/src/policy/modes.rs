//! The mode of one rule: for whom it is enforced.

use crate::policy::selector::Selector;
use serde::Deserialize;

#[derive(Clone, Debug)]
pub enum Mode<'a> {
    Observe,
    Enforce,
    /// Enforced where one of the selectors matches.
    Canary(Vec<Selector<'a>>),
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
    pub fn of(word: ModeWord, canary: Option<Vec<Selector<'a>>>) -> Option<Self> {
        match (word, canary) {
            (ModeWord::Off, _) => None,
            (ModeWord::Observe, _) => Some(Mode::Observe),
            (ModeWord::Enforce, None) => Some(Mode::Enforce),
            (ModeWord::Enforce, Some(canary)) => Some(Mode::Canary(canary)),
        }
    }

    pub fn problem(&self) -> Option<serde_json::Error> {
        let Mode::Canary(canary) = self else { return None };
        canary.iter().find_map(Selector::problem)
    }
}
