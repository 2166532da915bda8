//! `../rooms.cfg` lists the layers ("rooms") of this program. `units` and `parse` assume that any
//! part of a log may be missing, truncated or forged by a user: no input makes them panic or use
//! memory without limit.

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
