//! Updates an index by a delta made from the journals after it. May use every room above.

pub mod clients;
pub mod counts;
pub mod make;
pub mod named;
pub mod pieces;
pub mod reading;
pub mod streams;
