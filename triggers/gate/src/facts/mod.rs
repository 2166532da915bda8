//! Facts of the server, which `p4warden refresh` writes to `facts.json`, and of the checkpoint index
//! about forms and submits.

pub mod depots;
pub mod document;
pub mod form_facts;
pub mod known_depots;
pub mod sorted_lines;
