//! Reads the logs of a Perforce server.
//!
//! Each module below is a room; `../rooms.cfg` lists them from the ground up, and a room uses only
//! those before it. The rooms `units` and `parse` take every part of a log for missing, cut or made
//! up by a user: nothing panics on it or holds more than a few MiB of it.

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
