//! The exemptions in `policy.json`.

use crate::base::json_text::Text;
use crate::base::text::decoded;
use crate::policy::patterns::Patterns;
use serde::Deserialize;

/// Every condition that is set must match the event.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exemption<'a> {
    #[serde(borrow)]
    pub reason: Text<'a>,
    #[serde(borrow)]
    pub owner: Text<'a>,
    /// None if the exemption does not depend on the user; the others likewise.
    #[serde(borrow, default)]
    pub users: Option<Patterns<'a>>,
    #[serde(borrow, default)]
    pub groups: Option<Patterns<'a>>,
    #[serde(borrow, default)]
    pub clients: Option<Patterns<'a>>,
    #[serde(borrow, default)]
    pub programs: Option<Patterns<'a>>,
    /// Last day on which it is valid, `YYYY-MM-DD`; None if it has no end.
    #[serde(borrow, default)]
    pub until: Option<Text<'a>>,
    /// None for all rules; see `concerns`.
    #[serde(borrow, default)]
    pub rules: Option<Patterns<'a>>,
}

impl Exemption<'_> {
    /// By the rule's name, which is compared as a whole.
    #[must_use]
    pub fn concerns(&self, rule: &str) -> bool {
        let rules = self.rules.as_ref();
        rules.is_none_or(|names| names.iter().any(|name| name == rule.as_bytes()))
    }

    /// For the decision log.
    #[must_use]
    pub fn used_as(&self) -> String {
        format!("{} (owner: {})", decoded(&self.reason), decoded(&self.owner))
    }

    pub(super) fn problem(&self) -> Option<serde_json::Error> {
        let lists = [&self.users, &self.groups, &self.clients, &self.programs, &self.rules];
        lists.into_iter().flatten().find_map(|list| list.read().err())
    }
}
