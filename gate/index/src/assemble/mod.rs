//! Module `assemble`: builds a checkpoint index from checkpoints and journals.

pub mod clients;
pub mod directories;
pub mod follower;
pub mod journal_place;
pub mod make;
pub mod places;
pub mod range_counts;
pub mod read;
pub mod recent_submits;
pub mod rows;
pub mod store;
pub mod streams;
pub mod sweep;
pub mod synced_directories;
pub mod synced_files;
pub mod tables;
pub mod unfinished_file;
pub mod users;
pub mod write;
