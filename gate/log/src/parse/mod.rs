//! Converts lines of a log to records: one parser for text logs, one for structured logs. May use
//! `record` and `units`.

pub mod open_commands;
pub mod structured;
pub mod text;
