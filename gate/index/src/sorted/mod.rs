//! The last state of every key of a table, in order, in little memory.

mod merge;
mod run;
mod sorter;
mod spool;
mod temporary;

pub use merge::Merge;
pub use run::Run;
pub use sorter::Sorter;
pub use spool::Spool;
pub use temporary::Temporary;
