//! The exemptions in `policy.json`.

use crate::base::json_text::Text;
use crate::base::text::decoded;
use crate::policy::patterns::Patterns;
use crate::policy::selector::Selector;
use serde::Deserialize;

/// Every condition that is set must match the event.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exemption<'a> {
    #[serde(borrow)]
    pub reason: Text<'a>,
    #[serde(borrow)]
    pub owner: Text<'a>,
    /// None for everyone.
    #[serde(borrow, default, rename = "for")]
    pub selector: Option<Selector<'a>>,
    /// Last day on which it is valid, `YYYY-MM-DD`; None if it has no end.
    #[serde(borrow, default)]
    pub until: Option<Text<'a>>,
    /// None for all rules; see `concerns`.
    #[serde(borrow, default)]
    pub rules: Option<Patterns<'a>>,
}

impl Exemption<'_> {
    /// By the rule's name, which is compared as a whole.
    pub fn concerns(&self, rule: &str) -> bool {
        let rules = self.rules.as_ref();
        rules.is_none_or(|names| names.iter().any(|name| name == rule.as_bytes()))
    }

    /// For the decision log.
    pub fn used_as(&self) -> String {
        format!("{} (owner: {})", decoded(&self.reason), decoded(&self.owner))
    }

    pub(super) fn problem(&self) -> Option<serde_json::Error> {
        let of_rules = || self.rules.as_ref()?.read().err();
        self.selector.as_ref().and_then(Selector::problem).or_else(of_rules)
    }
}
