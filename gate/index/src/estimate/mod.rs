//! Estimates from an index of the number of records that an argument spans. May use `file`,
//! `ranges` and `base`.

pub mod count;
pub mod known;
pub mod local;
pub mod view;
pub mod wide;
