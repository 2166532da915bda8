//! Reading of log files, plain or compressed, whose lines are passed to the parser of their form.
//! This module may use the module `parse` and those that `parse` may use.

pub mod compression;
pub mod lines;
pub mod log_files;
pub mod log_merge;
pub mod reader;
pub mod storage;
