//! The rules, one a file, and the decision they lead to: rules, an event and the rates so far in, a
//! verdict and the text of a refusal out. Pure; may use `event` and the rooms below it.

pub mod block_client_program;
pub mod decide;
pub mod exceeded_limit;
pub mod found;
pub mod keys;
pub mod limit_command_rate;
pub mod limit_command_scope;
pub mod limit_scanned_rows;
pub mod narrower_path;
pub mod outcome;
pub mod rate_store;
pub mod rates_in_memory;
pub mod refusal;
pub mod scanned_argument;
pub mod tampered_line;
