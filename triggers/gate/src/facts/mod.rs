//! Modules about the facts of a server that `p4warden refresh` writes to `facts.json`: its case
//! handling, its depots and their directories.

pub mod depots;
pub mod document;
pub mod sorted_lines;
