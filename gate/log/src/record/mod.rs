//! Records obtained from a log (commands, events and counts), and the `Sink` that receives them.
//! This module may use the module `units`.

pub mod command;
pub mod counts;
pub mod request;
pub mod sink;
pub mod tables;
