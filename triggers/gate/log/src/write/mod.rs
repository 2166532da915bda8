//! Output of logged commands and events as JSON lines, and as rows of an SQLite database.

pub mod json;
pub mod sqlite;
