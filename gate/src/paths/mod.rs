//! Modules about depot paths, the words and options of p4 commands, and the versions of client
//! programs. They may use `base` only.

pub mod client_version;
pub mod command_line;
pub mod command_options;
pub mod command_synonyms;
pub mod depot_path;
pub mod scan_bounds;
