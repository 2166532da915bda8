//! The library of `p4warden-gate`.
//!
//! Each module below is a room; `rooms.cfg` lists them from the ground up, and a room uses only
//! those before it. The rooms `rate` and `rules`, with `event::exemptions` and `event::canary`, are
//! pure: time, the server's facts and the rates come in as arguments. `trigger` and `offline` are
//! the edges that read clocks and files, and answer.

// A panic is a fault at best, so nothing that comes from outside may cause one.
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

pub mod base;
pub mod event;
pub mod home;
pub mod offline;
pub mod paths;
pub mod policy;
pub mod rate;
pub mod rules;
pub mod trigger;
