//! The library of `p4warden-gate`.
//!
//! Each module below is a room; `rooms.cfg` lists the rooms from the ground up, and a room uses
//! only earlier ones. The rooms `rate` and `rules`, and the modules `event::exemptions` and
//! `event::canary`, are pure: time, the server's facts and the rates are arguments. `trigger` and
//! `offline` are the outermost rooms, which read clocks and files and answer.

// A panic at best becomes a fault, so input from outside must never cause one.
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
