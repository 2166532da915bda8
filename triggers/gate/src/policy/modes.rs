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

impl Mode<'_> {
    pub(super) fn problem(&self) -> Option<serde_json::Error> {
        let Mode::Canary(Canary { users, groups }) = self else { return None };
        [users, groups].into_iter().flatten().find_map(|list| list.read().err())
    }
}
