//! Builds a checkpoint index from checkpoints and journals.

pub mod change_records;
pub mod change_writer;
pub mod clients;
pub mod directories;
pub mod file_reader;
pub mod follower;
pub mod index_build;
pub mod index_writer;
pub mod listener;
pub mod places;
pub mod range_counts;
pub mod rows;
pub mod store;
pub mod streams;
pub mod sweep;
pub mod synced_directories;
pub mod tables;
pub mod unfinished_file;
pub mod users;
