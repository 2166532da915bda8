//! The records that come out of a log: commands, events and counts, and the `Sink` that takes them.
//! May use `units`.

pub mod command;
pub mod counts;
pub mod request;
pub mod sink;
pub mod tables;
