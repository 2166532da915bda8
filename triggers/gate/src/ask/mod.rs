//! The gate's subcommands for administrators and for p4warden's own programs: check, judge,
//! remarks, lines, tables, counts, self-test.

pub mod judge;
pub mod lines;
pub mod remarks;
pub mod self_test;
pub mod subcommands;
pub mod tables;
