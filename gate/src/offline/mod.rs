//! The subcommands for administrators and for p4warden's own programs: compile, judge, counts,
//! self-test. May use every other room.

pub mod judge;
pub mod self_test;
pub mod subcommands;
