//! The subcommands of `p4warden-index`, and their output of JSON lines.

pub mod build;
pub mod count;
pub mod json_lines;
pub mod leading_parts;
pub mod lengths;
pub mod longest_paths;
pub mod record_lines;
pub mod records;
pub mod rightsize;
pub mod show;
