//! `p4warden-gate` and `p4warden-log` use this library as well. `triggers/gate/rooms.cfg` lists its
//! modules. Checkpoints contain text chosen by users, so no content may cause a panic.

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
