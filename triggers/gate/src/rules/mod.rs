//! The rules for command events, and the decision that combines them. Input: rules, an event, the
//! stored request rates. Output: a verdict and the text of a refusal.

pub mod block_client_program;
pub mod client_wishes;
pub mod command_policy;
pub mod command_rule;
pub mod decision;
pub mod draft;
pub mod equal_arguments;
pub mod exceeded_limit;
pub mod form_finding;
pub mod form_rule;
pub mod keys;
pub mod kind_of_rule;
pub mod kinds;
pub mod limit_by_depot;
pub mod limit_command_rate;
pub mod limit_command_scope;
pub mod limit_depot_count;
pub mod limit_files;
pub mod limit_path_length;
pub mod limit_running_time;
pub mod limit_scanned_rows;
pub mod limit_top_directories;
pub mod limit_view_scope;
pub mod named_commands;
pub mod narrower_command;
pub mod outcome;
pub mod rate_store;
pub mod rates_in_memory;
pub mod refusal;
pub mod refuse_commands;
pub mod remarks;
pub mod require_client_options;
pub mod require_command_options;
pub mod rule_result;
pub mod scanned_argument;
pub mod scanned_changes;
pub mod smaller_part;
pub mod suggest_client_options;
pub mod suggest_client_view;
pub mod tampered_line;
pub mod too_many_arguments;
pub mod wide_path;

/// All kinds of rules, one module each.
const KINDS: &[&kind_of_rule::KindOfRule] = &[
    &block_client_program::KIND,
    &limit_command_rate::KIND,
    &limit_command_scope::KIND,
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
