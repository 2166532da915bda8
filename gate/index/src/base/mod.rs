//! Encoding of numbers and texts, checksums, the sort orders of names, errors. Uses no other room.

pub mod checksum;
pub mod numbers;
pub mod order;
pub mod trouble;
