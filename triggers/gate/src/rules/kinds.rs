//! The kinds of rules by their names.

use crate::contract::kind_of_rule::KindOfRule;
use crate::rules::block_client_program;
use crate::rules::limit_command_rate;
use crate::rules::limit_command_scope;
use crate::rules::limit_concurrent_commands;
use crate::rules::limit_depot_count;
use crate::rules::limit_files;
use crate::rules::limit_path_length;
use crate::rules::limit_running_time;
use crate::rules::limit_scanned_rows;
use crate::rules::limit_top_directories;
use crate::rules::limit_view_scope;
use crate::rules::refuse_commands;
use crate::rules::require_client_options;
use crate::rules::require_command_options;
use crate::rules::suggest_client_options;
use crate::rules::suggest_client_view;

const KINDS: &[&KindOfRule] = &[
    &block_client_program::KIND,
    &limit_command_rate::KIND,
    &limit_command_scope::KIND,
    &limit_concurrent_commands::KIND,
    &limit_depot_count::KIND,
    &limit_files::KIND,
    &limit_path_length::KIND,
    &limit_running_time::KIND,
    &limit_scanned_rows::KIND,
    &limit_top_directories::KIND,
    &limit_view_scope::KIND,
    &refuse_commands::KIND,
    &require_client_options::KIND,
    &require_command_options::KIND,
    &suggest_client_options::KIND,
    &suggest_client_view::KIND,
];

pub fn all() -> impl Iterator<Item = &'static KindOfRule> {
    KINDS.iter().copied()
}

pub fn of(name: &str) -> Result<&'static KindOfRule, String> {
    let kind = all().find(|kind| kind.name == name);
    kind.ok_or_else(|| format!("{name:?} is no kind of rule that this release knows"))
}
