//! The verdict on forms and submits: modes, exemptions, the baseline, and the text of a refusal.

pub mod baseline;
pub mod form_decision;
pub mod form_exemptions;
pub mod form_index;
pub mod form_needs;
pub mod form_outcome;
pub mod form_policy;
pub mod form_refusal;
pub mod rule_gain;
