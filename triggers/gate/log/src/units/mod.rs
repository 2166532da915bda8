//! Parsing of the numbers and times in p4d's logs.

pub mod local_time;
pub mod numbers;
