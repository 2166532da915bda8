//! Modules for rate limiting: the cell rate algorithm, the notation of limits, the question that a
//! command asks, the slots in which delayed requests wait, the commands at once. None of them reads a clock or a file.

pub mod gcra;
pub mod limits;
pub mod question;
pub mod queue;
pub mod timetable;
pub mod waiting_slots;
