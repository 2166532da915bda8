//! What is known of the server and of the checkpoint index about a form or a submit.

pub mod form_facts;
pub mod known_depots;
pub mod sorted_lines;
