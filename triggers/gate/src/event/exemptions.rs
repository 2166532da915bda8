//! Exemptions of events from rules. They are judged before the rules, so that a rule never stops an
//! event that is exempt from it.

use crate::base::patterns::matches;
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

pub(crate) fn any_fits(patterns: &Patterns<'_>, names: &[&[u8]], case_sensitive: bool) -> bool {
    let mut patterns = patterns.iter();
    patterns.any(|pattern| names.iter().any(|name| matches(pattern, name, case_sensitive)))
}
