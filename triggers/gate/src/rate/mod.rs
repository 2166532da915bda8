//! Modules for rate limiting: the cell rate algorithm, the notation of limits, the question that a
//! command asks, the slots in which delayed requests wait. None of them reads a clock or a file.

pub mod gcra;
pub mod limits;
pub mod question;
pub mod waiting_slots;
