//! The ranges of sorted paths that a path with wildcards spans.

pub mod pattern;
pub mod range;
pub mod union;
