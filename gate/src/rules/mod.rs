//! The rules, one a file: what each finds in an event.
//!
//! They know nothing of modes, exemptions or logs; `decide` does.

pub mod block_client_program;
pub mod limit_command_rate;
pub mod limit_command_scope;

use crate::finding::Finding;
use crate::keys::{Key, Keys};

/// What a rule says of an event.
#[derive(Debug, Default)]
pub struct Found {
    /// What it objects to.
    pub finding: Option<Finding>,
    /// Whether it could object to what is not known.
    pub unknown: bool,
}

/// What the rules that keep rates share while they try one event.
pub struct Attempt<'e> {
    /// Under which keys the event is kept.
    pub keys: Keys<'e>,
    /// What it takes of the rates if it goes on.
    pub places: Vec<(Key, u64)>,
    /// When it is.
    pub now_ns: u64,
}
