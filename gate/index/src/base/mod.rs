//! Encoding of numbers and texts, checksums, the sort orders of names, command lines, errors. Uses
//! no other room.

pub mod checksum;
pub mod numbers;
pub mod options;
pub mod order;
pub mod text;
pub mod trouble;
