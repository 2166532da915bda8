//! Modules about one event, such as p4d's arguments, the command, exemptions and a rule's finding.

pub mod arguments;
pub mod canary;
pub mod class;
pub mod command_event;
pub mod coverage;
pub mod exemptions;
pub mod form_event;
pub mod hours;
pub mod known_offender;
pub mod lazy_index;
pub mod line_check;
pub mod refused;
pub mod running_process;
pub mod selector;
pub mod split_line;
pub mod top_directories;
pub mod trigger_dictionary;
pub mod trigger_options;
pub mod unasked;
