//! Encoding of numbers and texts, the sort orders of names, errors. Uses no other room.

pub mod numbers;
pub mod order;
pub mod trouble;
