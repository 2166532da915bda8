//! Module `base` of `p4warden-index`: encoding of numbers and texts, checksums, sort orders of
//! names, parsing of command lines, errors, usage texts. Uses no other module of the library.

pub mod checksum;
pub mod numbers;
pub mod options;
pub mod order;
pub mod text;
pub mod trouble;
pub mod usage;
