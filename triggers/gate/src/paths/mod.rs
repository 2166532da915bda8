//! Modules about depot paths, p4 commands (their words, options, synonyms, and the records that
//! they read) and the versions of client programs.

pub mod argument_reads;
pub mod argument_words;
pub mod client_version;
pub mod command_bounds;
pub mod command_form;
pub mod command_line;
pub mod command_options;
pub mod command_synonyms;
pub mod depot_path;
pub mod joined_words;
pub mod option_reader;
pub mod option_words;
pub mod revision;
pub mod view_words;
