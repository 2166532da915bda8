//! Estimates from an index of the number of records that an argument spans. May use `file`,
//! `ranges` and `base`.

pub mod client_state;
pub mod count;
pub mod local;
pub mod view;
pub mod wide;
