//! The text of spec forms, and their fields such as view lines: pure functions, the same for every
//! policy. Text is bytes; only messages are UTF-8.

pub mod client_options;
pub mod crossings;
pub mod depot_form;
pub mod form;
pub mod form_editor;
pub mod form_parser;
pub mod leading_paths;
pub mod new_client;
pub mod shares;
pub mod view_lines;
