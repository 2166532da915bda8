//! Parsing of the numbers and times in logs. Uses no other room.

pub mod local_time;
pub mod numbers;
