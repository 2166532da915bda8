//! Output of logged commands and events as JSON lines, and of rows into the tables of an SQLite
//! database.

pub mod json;
pub mod sqlite;
