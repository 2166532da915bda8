//! What `p4warden-gate` decides, and how.
//!
//! The core (`decide`, `rules`, `gcra`, `canary`, `exemptions`, `patterns`, `keys`, `shape`) is
//! pure: time, the server's facts and the rates come in as arguments. `command`, `supervisor` and
//! `judge` are the edges that read clocks and files, and answer.

// A panic is a fault at best, so nothing that comes from outside may cause one.
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

pub mod answer;
pub mod arguments;
pub mod bytes;
pub mod canary;
pub mod client_version;
pub mod clock;
pub mod command;
pub mod command_line;
pub mod command_options;
pub mod decide;
pub mod decisions;
pub mod declared;
pub mod defect;
pub mod depot_path;
pub mod event;
pub mod exemptions;
pub mod fault;
pub mod finding;
pub mod flat;
pub mod gcra;
pub mod heap;
pub mod home;
pub mod json;
pub mod judge;
pub mod keys;
pub mod limits;
pub mod memory;
pub mod narrower;
pub mod offline;
mod options;
pub mod outcome;
pub mod output;
pub mod patterns;
pub mod policy;
pub mod pressure;
pub mod rate_store;
pub mod record;
pub mod refusal;
pub mod rules;
pub mod running;
pub mod self_test;
pub mod shape;
pub mod sleepers;
pub mod state;
pub mod supervisor;
pub mod text;
pub mod trials;
pub mod worker;
