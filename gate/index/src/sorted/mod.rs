//! Module `sorted`: sorts the entries of a table (keys with values) in temporary files, so that the
//! last state of every key can be read in order with little memory. Uses the module `base`.

pub mod merge;
pub mod run;
pub mod sorter;
pub mod spool;
pub mod temporary;
