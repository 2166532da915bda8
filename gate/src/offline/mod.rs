//! The subcommands that administrators and p4warden itself run: compile, judge, counts, self-test.
//! May use every other room.

pub mod judge;
mod options;
pub mod self_test;
pub mod subcommands;
