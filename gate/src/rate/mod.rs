//! Modules for rate limiting: the cell rate algorithm, the notation of limits, the shape of a
//! command (its words with each path reduced to its revision), the slots in which delayed requests
//! wait. None of them reads a clock or a file.

pub mod gcra;
pub mod limits;
pub mod shape;
pub mod waiting_slots;
