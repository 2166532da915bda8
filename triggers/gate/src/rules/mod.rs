//! The kinds of rules, a module each.

pub mod block_client_program;
pub mod kinds;
pub mod limit_command_rate;
pub mod limit_command_scope;
pub mod limit_concurrent_commands;
pub mod limit_depot_count;
pub mod limit_files;
pub mod limit_path_length;
pub mod limit_running_time;
pub mod limit_scanned_rows;
pub mod limit_top_directories;
pub mod limit_view_scope;
pub mod refuse_commands;
pub mod require_client_options;
pub mod require_command_options;
pub mod suggest_client_options;
pub mod suggest_client_view;
