//! Modules about the policy: `document` reads `policy.json`, `compiled` writes and reads
//! `gate.policy`, `pressure` determines load levels.

pub mod compiled;
pub mod document;
pub mod pressure;
