//! Parsers that convert the lines of a p4d log to records: one for text logs, one for structured
//! logs.

pub mod open_commands;
pub mod structured;
pub mod text;
