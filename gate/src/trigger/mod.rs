//! Trigger events: commands are decided here, forms and submits by the Python worker that this room
//! supervises. May use `home` and the rooms below it.

pub mod answer;
pub mod command;
pub mod defect;
pub mod old_lines;
pub mod on_error;
pub mod standard_input;
pub mod supervisor;
pub mod worker;
pub mod worker_output;
pub mod worker_record;
