//! The gate's subcommands for administrators and for p4warden's own programs: check, judge,
//! counts, self-test.

pub mod judge;
pub mod self_test;
pub mod subcommands;
