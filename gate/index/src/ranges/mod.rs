//! The parts of a table that paths with wildcards span. May use `base`.

pub mod pattern;
pub mod range;
pub mod union;
