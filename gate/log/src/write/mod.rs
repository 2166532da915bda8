//! Output of log records as JSON lines, and of rows into the tables of an SQLite database. Of the
//! program's own modules it uses `record` only.

pub mod json;
pub mod sqlite;
