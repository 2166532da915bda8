//! Output of records as JSON lines, and of rows into the tables of an SQLite database. May use
//! `record` and `units`.

pub mod json;
pub mod sqlite;
