//! The number of records that an argument spans, by an index. May use `file`, `ranges` and `base`.

pub mod count;
pub mod known;
pub mod local;
pub mod view;
pub mod wide;
