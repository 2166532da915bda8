//! The library of `p4warden-gate`, the program that p4d starts for each event of p4warden's
//! triggers.
//!
//! Each module below is a layer; `rooms.cfg` lists the layers from the lowest to the highest, and a
//! layer uses only lower ones. The layers `rate`, `contract` and `rules` read no clock: the time is an
//! argument, like the facts about the server and the store of rates. `trigger` and `ask` are
//! the highest layers, which give the verdict to p4d or to the caller.

// Lints against panics: input from outside must never cause one, because the gate can at best
// report a panic as a fault.
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

pub mod ask;
pub mod base;
pub mod contract;
pub mod event;
pub mod facts;
pub mod forms;
pub mod home;
pub mod judge;
pub mod paths;
pub mod policy;
pub mod proposals;
pub mod rate;
pub mod rules;
pub mod trigger;
