//! Parsers of p4d's logs: one for text logs, one for structured logs.

pub mod open_commands;
pub mod structured;
pub mod text;
