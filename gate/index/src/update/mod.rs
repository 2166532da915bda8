//! An index and the journals after it -> a delta. May use every room above.

pub mod clients;
pub mod counts;
pub mod make;
pub mod pieces;
pub mod reading;
pub mod streams;
