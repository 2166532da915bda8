//! Output of log records as JSON lines, and of rows into the tables of an SQLite database. This
//! module may use the modules `record` and `units`.

pub mod json;
pub mod sqlite;
