//! Parsers that convert the lines of a p4d log to records: one for text logs, one for structured
//! logs. This module may use the modules `record` and `units`.

pub mod open_commands;
pub mod structured;
pub mod text;
