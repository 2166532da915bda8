//! Facts of the server and of the checkpoint index about forms and submits.

pub mod form_facts;
pub mod known_depots;
pub mod sorted_lines;
