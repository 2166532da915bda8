//! For whom a rule is enforced while it only observes everyone else.

use crate::event::selector::{Match, Sender, compare};
use crate::policy::modes::Mode;

/// Whether a mode enforces its rule for an event. An unknown fact puts nobody into a canary.
pub fn enforces(mode: &Mode<'_>, sender: &Sender<'_>) -> bool {
    match mode {
        Mode::Observe => false,
        Mode::Enforce => true,
        Mode::Canary(canary) => {
            canary.iter().any(|selector| compare(selector, sender) == Match::Yes)
        }
    }
}
