//! Users for whom a rule is enforced while it only observes everyone else.

use crate::event::exemptions::{Sender, any_fits};
use crate::policy::modes::{Canary, Mode};
use crate::policy::patterns::Patterns;

/// Whether a mode enforces its rule for an event's user.
#[must_use]
pub fn enforces(mode: &Mode<'_>, sender: &Sender<'_>) -> bool {
    match mode {
        Mode::Observe => false,
        Mode::Enforce => true,
        Mode::Canary(canary) => includes(canary, sender),
    }
}

fn includes(canary: &Canary<'_>, sender: &Sender<'_>) -> bool {
    let fits = |patterns: &Option<Patterns<'_>>, names: &[&[u8]]| {
        patterns.as_ref().is_some_and(|one| any_fits(one, names, sender.case_sensitive))
    };
    fits(&canary.users, sender.user.as_slice()) || fits(&canary.groups, sender.groups)
}
