//! Exemptions of events from rules. They are judged before the rules, so that a rule never stops an
//! event that is exempt from it.

use crate::base::json_text::Text;
use crate::event::selector::{Match, Sender, is_about, parts};
use crate::policy::exemptions::Exemption;

/// Whether it concerns a rule is not compared here.
pub fn fits(exemption: &Exemption<'_>, sender: &Sender<'_>) -> Match {
    match is_about(exemption.selector.as_ref(), false, sender) {
        Match::Yes | Match::Unknown(_) if has_passed(exemption, sender) => Match::No,
        fits => fits,
    }
}

fn has_passed(exemption: &Exemption<'_>, sender: &Sender<'_>) -> bool {
    let is_over = |until: &Text<'_>| (sender.day)().as_bytes() > &**until;
    exemption.until.as_ref().is_some_and(is_over)
}

/// A condition of an exemption that an event does not meet.
pub struct Miss {
    pub field: &'static str,
    pub why: String,
}

/// None if the exemption excuses the event from a rule.
pub fn misses(exemption: &Exemption<'_>, rule: &str, sender: &Sender<'_>) -> Vec<Miss> {
    let mut misses = Vec::new();
    if !exemption.concerns(rule) {
        misses.push(Miss { field: "rules", why: format!("does not name {rule}") });
    }
    if has_passed(exemption, sender) {
        let why = format!("has passed, the event is of {}", (sender.day)());
        misses.push(Miss { field: "until", why });
    }
    let parts = exemption.selector.iter().flat_map(|selector| parts(selector, sender));
    let missed = parts.filter(|part| part.matches != Match::Yes);
    misses.extend(missed.map(|part| Miss { field: part.field, why: part.why }));
    misses
}
