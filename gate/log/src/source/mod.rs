//! Reads log files, plain or compressed, and passes their lines to the parser of their form. May
//! use `parse` and the rooms below it.

pub mod compressed;
pub mod lines;
pub mod log_files;
pub mod reader;
pub mod storage;
pub mod together;
