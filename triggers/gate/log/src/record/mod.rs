//! Records obtained from a log (commands, events and counts), and the `Sink` that receives them.

pub mod command;
pub mod counts;
pub mod request;
pub mod sink;
pub mod tables;
