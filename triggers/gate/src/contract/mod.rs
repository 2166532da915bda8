//! What a rule is: the traits that each kind implements, its findings, and what several kinds share.

pub mod client_wishes;
pub mod command_rule;
pub mod draft;
pub mod equal_arguments;
pub mod exceeded_limit;
pub mod finding;
pub mod form_finding;
pub mod form_rule;
pub mod keys;
pub mod kind_of_rule;
pub mod limit_by_depot;
pub mod named_commands;
pub mod rate_store;
pub mod readings;
pub mod remarks;
pub mod rule_result;
pub mod too_many_arguments;
pub mod wide_path;
