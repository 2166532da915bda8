//! The files of an installation: the active policy, the state with its rates, the decision log. May
//! use `rules` and the rooms below it.

pub mod active_policy;
pub mod decision_log;
pub mod folder;
pub mod off_mark;
pub mod state;
pub mod trial_client;
