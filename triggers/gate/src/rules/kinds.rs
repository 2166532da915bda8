//! The kinds of rules by their names.

use super::KINDS;
use crate::rules::kind_of_rule::KindOfRule;

pub fn all() -> impl Iterator<Item = &'static KindOfRule> {
    KINDS.iter().copied()
}

pub fn of(name: &str) -> Result<&'static KindOfRule, String> {
    let kind = all().find(|kind| kind.name == name);
    kind.ok_or_else(|| format!("{name:?} is no kind of rule that this release knows"))
}
