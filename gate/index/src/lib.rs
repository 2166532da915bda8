//! Counts the files and revisions of a Perforce server, and estimates how many of them a path spans.
//!
//! `source` reads checkpoints and journals, `build` makes an index of them, `file` is the index,
//! and `estimate` counts by it. Checkpoints hold what users chose: nothing here panics on it.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

pub mod build;
pub mod command;
pub mod estimate;
pub mod file;
pub mod numbers;
pub mod order;
pub mod sorted;
pub mod source;
pub mod trouble;
