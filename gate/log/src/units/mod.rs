//! Numbers and times as logs write them.
//! Uses no other room.

pub mod local_time;
pub mod numbers;
