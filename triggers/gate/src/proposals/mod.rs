//! Lines to write in forms, and arguments to write in commands, in place of refused ones: narrower
//! paths, shorter paths, the view of a new client. The same narrowing serves view lines and file
//! arguments.

pub mod candidates;
pub mod choice;
pub mod line;
pub mod narrower_path;
pub mod narrowing;
pub mod new_view;
pub mod other_lines;
pub mod placeholders;
pub mod plain_arguments;
pub mod program_words;
pub mod shorter;
pub mod stream_clients;
