//! Module `estimate`: estimates from a checkpoint index the number of files or revisions that paths
//! and client views span, and finds narrower directories to propose.

pub mod changes;
pub mod client_state;
pub mod client_view;
pub mod count;
pub mod form;
pub mod inheritance;
pub mod local_syntax;
pub mod view;
pub mod wide_lines;
pub mod widest;
