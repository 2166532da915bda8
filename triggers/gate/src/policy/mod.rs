//! The policy that `policy.json` states, and load levels: `document` reads the file, and of its
//! rules those that may concern a command; `pressure` determines load levels.

pub mod allowances;
pub mod by_name;
pub mod concurrency;
pub mod document;
pub mod exemptions;
pub mod hours;
pub mod modes;
pub mod parts;
pub mod patterns;
pub mod pressure;
pub mod rates;
pub mod rule_fields;
pub mod scope;
pub mod selector;
