//! Records -> JSON lines, and rows -> the tables of an SQLite database.
//! May use `record` and `units`.

pub mod json;
pub mod sqlite;
