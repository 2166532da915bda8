//! Module `estimate`: estimates from a checkpoint index the number of files or revisions that an
//! argument of a p4 command spans. Uses the modules `file`, `ranges` and `base`.

pub mod client_state;
pub mod count;
pub mod form;
pub mod local;
pub mod view;
pub mod wide;
