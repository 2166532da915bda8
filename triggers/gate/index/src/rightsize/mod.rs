//! Proposes narrower client views that keep the files a client needs at their client paths. They are
//! simply made, and checked with the vendor's map by the Python program that asks for them.

pub mod choice;
pub mod counts;
pub mod directories;
pub mod narrowed_view;
pub mod needed_files;
pub mod proposals;
pub mod recent_submits;
pub mod tree;
