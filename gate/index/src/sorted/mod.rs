//! External sorting: the last state of every key of a table, in order, with little memory. May use
//! `base`.

pub mod merge;
pub mod run;
pub mod sorter;
pub mod spool;
pub mod temporary;
