//! The library of `p4warden-log`, a program that reads the logs of a Perforce server.
//!
//! Each module declared here is one layer ("room") of the program; `../rooms.cfg` lists them from
//! the lowest to the highest, and a module uses only lower ones. The modules `units` and `parse`
//! assume that any part of a log may be missing, truncated or forged by a user: no input makes them
//! panic or use memory without limit.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

pub mod parse;
pub mod record;
pub mod source;
pub mod subcommands;
pub mod units;
pub mod write;
