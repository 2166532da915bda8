//! Depot paths, the words and options of p4 commands, and the versions of clients. May use `base`.

pub mod client_version;
pub mod command_line;
pub mod command_options;
pub mod command_synonyms;
pub mod depot_path;
pub mod scan_bounds;
