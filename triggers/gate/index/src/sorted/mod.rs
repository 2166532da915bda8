//! Sorts entries in temporary files, so that the last value of every key can be read in order with
//! little memory.

pub mod merge;
pub mod run;
pub mod sorter;
pub mod spool;
pub mod temporary_folder;
