//! Exemptions of events from rules. They are judged before the rules, so that a rule never stops an
//! event that is exempt from it.

use crate::base::json_text::Text;
use crate::base::patterns::matches;
use crate::base::text::decoded;
use crate::policy::exemptions::Exemption;
use crate::policy::patterns::Patterns;

/// Who sends an event, from where and when, as exemptions and canaries ask.
#[derive(Clone, Copy)]
pub struct Sender<'e> {
    pub user: Option<&'e [u8]>,
    pub groups: &'e [&'e [u8]],
    /// That it is sent from, and that of a client form.
    pub clients: [Option<&'e [u8]>; 2],
    pub prog: Option<&'e [u8]>,
    pub day: &'e dyn Fn() -> String,
    pub case_sensitive: bool,
}

/// Whether it concerns a rule is not compared here.
#[must_use]
pub fn applies(exemption: &Exemption<'_>, sender: &Sender<'_>) -> bool {
    let Sender { user, groups, clients, prog, day, case_sensitive } = *sender;
    let fits = |patterns: &Option<Patterns<'_>>, names: &[&[u8]]| {
        patterns.as_ref().is_none_or(|patterns| any_fits(patterns, names, case_sensitive))
    };
    let clients: Vec<&[u8]> = clients.into_iter().flatten().collect();
    fits(&exemption.users, user.as_slice())
        && fits(&exemption.groups, groups)
        && fits(&exemption.clients, &clients)
        && fits(&exemption.programs, prog.as_slice())
        && exemption.until.as_ref().is_none_or(|until| day().as_bytes() <= &**until)
}

/// A condition of an exemption that an event does not meet.
pub struct Miss {
    pub field: &'static str,
    pub why: String,
}

/// None if the exemption excuses the event from a rule.
#[must_use]
pub fn misses(exemption: &Exemption<'_>, rule: &str, sender: &Sender<'_>) -> Vec<Miss> {
    let mut misses = Vec::new();
    if !exemption.concerns(rule) {
        misses.push(Miss { field: "rules", why: format!("does not name {rule}") });
    }
    let has_passed = |until: &&Text<'_>| (sender.day)().as_bytes() > &***until;
    if exemption.until.as_ref().filter(has_passed).is_some() {
        let why = format!("has passed, the event is of {}", (sender.day)());
        misses.push(Miss { field: "until", why });
    }
    let clients: Vec<&[u8]> = sender.clients.into_iter().flatten().collect();
    for (field, one, patterns, names) in [
        ("users", "user", &exemption.users, sender.user.as_slice()),
        ("groups", "group", &exemption.groups, sender.groups),
        ("clients", "client", &exemption.clients, &clients),
        ("programs", "program", &exemption.programs, sender.prog.as_slice()),
    ] {
        let fits = |patterns: &Patterns<'_>| any_fits(patterns, names, sender.case_sensitive);
        if !patterns.as_ref().is_none_or(fits) {
            misses.push(Miss { field, why: none_of_them(one, names) });
        }
    }
    misses
}

fn none_of_them(one: &str, names: &[&[u8]]) -> String {
    let mut shown = Vec::new();
    for name in names.iter().map(|name| decoded(name)).filter(|name| !name.is_empty()) {
        if !shown.contains(&name) {
            shown.push(name);
        }
    }
    match shown.as_slice() {
        [] => format!("the event has no {one}"),
        [name] => format!("{name} is none of them"),
        names => format!("none of {} is one of them", names.join(", ")),
    }
}

pub(crate) fn any_fits(patterns: &Patterns<'_>, names: &[&[u8]], case_sensitive: bool) -> bool {
    let mut patterns = patterns.iter();
    patterns.any(|pattern| names.iter().any(|name| matches(pattern, name, case_sensitive)))
}
