//! Basic functions such as encoding, checksums, sort orders, command lines and errors.

pub mod checksum;
pub mod fault;
pub mod numbers;
pub mod options;
pub mod order;
pub mod text;
pub mod usage;
