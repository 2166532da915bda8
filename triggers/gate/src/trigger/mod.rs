//! The answer to p4d for the event of a trigger, which is judged in this process.

pub mod answer;
pub mod command;
pub mod form;
pub mod form_file;
pub mod judged;
pub mod last_word;
pub mod load;
pub mod missing_facts;
pub mod old_lines;
pub mod on_error;
pub mod queue;
pub mod run;
pub mod server_answers;
pub mod server_facts;
pub mod standard_input;
pub mod trigger_event;
