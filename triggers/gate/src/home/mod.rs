//! Modules about the files of p4warden's home folder, such as the active policy, the state file and
//! the decision log.

pub mod admitted;
pub mod allowances_file;
pub mod baseline_file;
pub mod checkpoint_index;
pub mod decision_log;
pub mod facts_file;
pub mod file_lock;
pub mod folder;
pub mod form_record;
pub mod monitor_file;
pub mod off_mark;
pub mod policy_file;
pub mod processes;
pub mod saved_forms;
pub mod state;
pub mod trial_client;
pub mod turns;
