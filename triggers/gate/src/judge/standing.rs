//! How each rule of a policy stands to an event, found once, before anything is judged: whether the
//! rule is about it, which exemption excuses from it, and whether the rule is enforced.

use crate::event::canary::enforces;
use crate::event::exemptions::fits;
use crate::event::selector::{Match, Sender, is_about};
use crate::policy::exemptions::Exemption;
use crate::policy::modes::Mode;
use crate::policy::selector::Selector;
use std::ptr;

/// In the trial run of a deploy every rule is about the event, none has an exemption, and all are
/// enforced.
#[derive(Clone, Copy)]
pub struct Standing<'p> {
    pub about: Match,
    /// The first in the order of the policy.
    pub exemption: Option<&'p Exemption<'p>>,
    pub is_enforced: bool,
}

impl Standing<'_> {
    /// The place of its exemption in the policy's list.
    pub fn exemption_in(&self, exemptions: &[Exemption<'_>]) -> Option<usize> {
        let own = self.exemption?;
        exemptions.iter().position(|one| ptr::eq(one, own))
    }
}

/// What the standing of all rules to one event depends on.
pub struct Standings<'s, 'p> {
    sender: Sender<'s>,
    is_trial: bool,
    exemptions: Vec<&'p Exemption<'p>>,
}

impl<'s, 'p> Standings<'s, 'p> {
    /// An exemption in doubt, because a fact is unknown, excuses only if `in_doubt`.
    pub fn of(
        sender: Sender<'s>,
        is_trial: bool,
        exemptions: &'p [Exemption<'p>],
        in_doubt: bool,
    ) -> Self {
        let excuses = |exemption: &&Exemption<'_>| match fits(exemption, &sender) {
            Match::Yes => true,
            Match::Unknown(_) => in_doubt,
            Match::No => false,
        };
        let exemptions = exemptions.iter().filter(|_| !is_trial).filter(excuses).collect();
        Standings { sender, is_trial, exemptions }
    }

    /// Whichever rules the exemption concerns.
    pub fn excuses(&self, exemption: &Exemption<'_>) -> bool {
        self.exemptions.iter().any(|one| ptr::eq(*one, exemption))
    }

    pub fn of_rule(
        &self,
        name: &str,
        selector: Option<&Selector<'_>>,
        mode: &Mode<'_>,
    ) -> Standing<'p> {
        Standing {
            about: is_about(selector, self.is_trial, &self.sender),
            exemption: self.exemptions.iter().copied().find(|one| one.concerns(name)),
            is_enforced: self.is_trial || enforces(mode, &self.sender),
        }
    }
}
