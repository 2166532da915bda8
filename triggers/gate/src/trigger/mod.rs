//! Modules for trigger events: commands are judged in the gate's own process, forms and submits by
//! a Python worker that the gate supervises.

pub mod answer;
pub mod command;
pub mod defect;
pub mod index_questions;
pub mod missing_facts;
pub mod old_lines;
pub mod on_error;
pub mod standard_input;
pub mod supervisor;
pub mod watchdog;
pub mod worker;
pub mod worker_output;
pub mod worker_record;
