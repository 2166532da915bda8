//! Updates a checkpoint index from the journals written after it, by writing a delta file.

pub mod changes;
pub mod clients;
pub mod counts;
pub mod index_update;
pub mod journal_reader;
pub mod name_map;
pub mod pieces;
pub mod stream_views;
pub mod streams;
