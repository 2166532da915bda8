//! The class of an event, by which reports group.

use crate::event::selector::{Match, Sender, compare};
use crate::policy::by_name::ByName;
use crate::policy::selector::Classes;

pub const NO_CLASS: &str = "(no class)";

/// The first that matches, in the order of the policy; None for a policy without classes.
pub fn class_of<'c>(classes: &'c Classes<'_>, sender: &Sender<'_>) -> Option<&'c str> {
    let ByName(classes) = classes;
    let matching = classes.iter().find(|(_, selector)| compare(selector, sender) == Match::Yes);
    let name = matching.map_or(NO_CLASS, |(name, _)| name);
    (!classes.is_empty()).then_some(name)
}
