//! Modules about the policy: `document` reads `policy.json`, `compiled` writes and reads
//! `gate.policy`, `pressure` determines load levels. They may use `base`, `paths` and `rate`.

pub mod compiled;
pub mod document;
pub mod pressure;
