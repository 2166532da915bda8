//! The library of `p4warden-gate`, the program that p4d starts for each event.
//!
//! Each module below is a layer; `rooms.cfg` lists the layers from the lowest to the highest, and a
//! layer uses only lower ones. The layers `rate` and `rules`, and the modules `event::exemptions`
//! and `event::canary`, are pure: time, the server's facts and the rates are arguments. `trigger`
//! and `offline` are the highest layers, which read clocks and files and give the verdict to p4d or
//! to the caller.

// Lints against panics: input from outside must never cause one, because the gate can at best
// report a panic as a fault.
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
