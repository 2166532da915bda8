//! The library of `p4warden-index`, which counts the files and revisions of a Perforce server and
//! estimates how many of them a path spans.
//!
//! Each module below is a room; `../rooms.cfg` lists the rooms from the ground up, and a room uses
//! only earlier ones. Checkpoints contain text chosen by users, so no content may cause a panic.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

#[cfg(feature = "build")]
pub mod assemble;
pub mod base;
pub mod estimate;
pub mod file;
pub mod ranges;
#[cfg(feature = "build")]
pub mod rightsize;
#[cfg(feature = "build")]
pub mod sorted;
#[cfg(feature = "build")]
pub mod source;
#[cfg(feature = "build")]
pub mod subcommands;
#[cfg(feature = "build")]
pub mod update;
