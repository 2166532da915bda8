//! Reading of log files, plain or compressed, whose lines are passed to the parser of their form.

pub mod compression;
pub mod lines;
pub mod log_files;
pub mod log_merge;
pub mod reader;
pub mod storage;
