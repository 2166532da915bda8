//! Module `update`: updates a checkpoint index from the journals written after it, by writing a
//! delta file.

pub mod clients;
pub mod counts;
pub mod make;
pub mod named;
pub mod pieces;
pub mod reading;
pub mod streams;
