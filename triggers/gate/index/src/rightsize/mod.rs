//! Finds narrower client views that keep the files a client needs at their client paths.

pub mod client_view;
pub mod conflicts;
pub mod counts;
pub mod directories;
pub mod directory_lines;
pub mod fewest_lines;
mod lines_by_start;
pub mod needed_files;
pub mod precedence;
pub mod proposals;
pub mod tree;
pub mod view_row;
