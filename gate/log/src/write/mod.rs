//! Output of log records as JSON lines, and of rows into the tables of an SQLite database.

pub mod json;
pub mod sqlite;
