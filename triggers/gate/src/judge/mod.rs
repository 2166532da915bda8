//! The verdict on an event: modes, exemptions, rates, the baseline, and the text of a refusal.

pub mod accepted_lines;
pub mod baseline;
pub mod command_decision;
pub mod command_outcome;
pub mod command_policy;
pub mod command_refusal;
pub mod form_decision;
pub mod form_index;
pub mod form_outcome;
pub mod form_policy;
pub mod form_refusal;
pub mod form_standing;
pub mod policy_problems;
pub mod rates_in_memory;
pub mod rule_gain;
pub mod standing;
pub mod tampered_line;
