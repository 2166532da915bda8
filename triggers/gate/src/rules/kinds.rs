//! The kinds of rules by their names.

use crate::contract::kind_of_rule::KindOfRule;

const KINDS: &[&KindOfRule] = &[
    &crate::rules::block_client_program::KIND,
    &crate::rules::limit_command_rate::KIND,
    &crate::rules::limit_command_scope::KIND,
    &crate::rules::limit_concurrent_commands::KIND,
    &crate::rules::limit_depot_count::KIND,
    &crate::rules::limit_files::KIND,
    &crate::rules::limit_path_length::KIND,
    &crate::rules::limit_running_time::KIND,
    &crate::rules::limit_scanned_rows::KIND,
    &crate::rules::limit_top_directories::KIND,
    &crate::rules::limit_view_scope::KIND,
    &crate::rules::refuse_commands::KIND,
    &crate::rules::require_client_options::KIND,
    &crate::rules::require_command_options::KIND,
    &crate::rules::suggest_client_options::KIND,
    &crate::rules::suggest_client_view::KIND,
];

pub fn all() -> impl Iterator<Item = &'static KindOfRule> {
    KINDS.iter().copied()
}

pub fn of(name: &str) -> Result<&'static KindOfRule, String> {
    let kind = all().find(|kind| kind.name == name);
    kind.ok_or_else(|| format!("{name:?} is no kind of rule that this release knows"))
}
