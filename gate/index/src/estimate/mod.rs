//! How many records lie in the ranges that a command names.

pub mod count;
pub mod pattern;
pub mod range;
pub mod union;
pub mod view;

pub use count::{Table, is_of_client};
pub use range::{Extent, Range, range};
pub use union::{Term, union};
