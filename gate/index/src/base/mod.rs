//! Numbers and texts as bytes, the orders of names, errors. Uses no other room.

pub mod numbers;
pub mod order;
pub mod trouble;
