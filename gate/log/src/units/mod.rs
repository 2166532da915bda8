//! Parsing of the numbers and times in p4d's logs. This module uses no other module of the program.

pub mod local_time;
pub mod numbers;
