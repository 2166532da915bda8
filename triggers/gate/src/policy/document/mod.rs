//! The policy as `p4warden activate` writes it in `policy.json`, reduced to the parts that the gate
//! uses.
//!
//! Rules of kinds that the gate does not judge are left out, and so are rules that are off.

mod parse;
mod programs;
mod rates;
mod scan_limits;
mod scope;

pub use programs::Program;
pub use rates::{Limit, Part, Rates, Unit, Weight};
pub use scan_limits::ScanLimits;
pub use scope::Scope;

use crate::policy::pressure::Thresholds;
use serde::Deserialize;

/// Maximum number of rules and of exemptions in a policy, and of limits in a rule; far above any
/// use, and within the 16-bit counters of `gate.policy`.
const MAX_ENTRIES: usize = 10_000;

/// The parts of the policy in `policy.json` that the gate uses: general settings, exemptions, and
/// rules about commands.
#[derive(Debug)]
pub struct Policy {
    /// SHA-256 of the YAML text from which the policy was made, in hexadecimal.
    pub digest: String,
    /// The site's contact for questions about the policy, named in every refusal.
    pub contact: String,
    /// Address of the site's page about the policy, shown in refusals; None if the policy names
    /// none.
    pub help_url: Option<String>,
    /// Whether an event is refused when p4warden itself fails.
    pub deny_on_error: bool,
    /// Thresholds for the kernel's pressure measure; None if the policy does not use this measure.
    pub thresholds: Option<Thresholds>,
    /// The exemptions from rules, in the order of the policy.
    pub exemptions: Vec<Exemption>,
    /// The rules that the gate judges, in policy order.
    pub rules: Vec<Rule>,
}

/// One entry under `exemptions:` of the policy; every condition that is set (user, group, client,
/// program, end date) must match the event.
#[derive(Debug, Deserialize)]
pub struct Exemption {
    /// Reason that the policy states for the exemption; `judge` shows it in its output.
    pub reason: String,
    /// Person or team named in the policy as responsible for the exemption.
    pub owner: String,
    /// Patterns of user names; the exemption applies only if one matches the event's user. None for
    /// any user.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    /// Patterns of group names; the exemption applies only if one matches a group of the event's
    /// user. None if it does not depend on groups.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
    /// Patterns of client names; the exemption applies only if one matches the event's client. None
    /// for any client.
    #[serde(default)]
    pub clients: Option<Vec<String>>,
    /// Patterns of program names; the exemption applies only if one matches the event's client
    /// program. None for any program.
    #[serde(default)]
    pub programs: Option<Vec<String>>,
    /// Names of the rules that the exemption covers; None for all rules.
    #[serde(default)]
    pub rules: Option<Vec<String>>,
    /// Last day on which the exemption is valid, `YYYY-MM-DD`; None if it has no end.
    #[serde(default)]
    pub until: Option<String>,
}

/// One rule of the policy that the gate judges.
#[derive(Debug)]
pub struct Rule {
    /// The name that the policy gives the rule, shown in refusals and in the decision log.
    pub name: String,
    /// The mode of the rule: whether it is enforced for all users, for none, or for those of a
    /// canary.
    pub mode: Mode,
    /// The site's own advice text, one to three lines, shown in the rule's refusals; None if the
    /// policy gives none.
    pub advice: Option<String>,
    /// Names of the commands that the rule covers, main names or synonyms, such as `sync` or
    /// `flush`.
    pub commands: Vec<String>,
    /// The kind of the rule, such as `limit_command_rate`, with its settings.
    pub kind: Kind,
}

/// The mode of a rule in `policy.json`: the users for whom the rule is enforced. The rule only
/// observes all other users.
#[derive(Debug)]
pub enum Mode {
    /// Mode of a rule that only observes: it stops no events, and the decision log has its
    /// objections.
    Observe,
    /// Mode of a rule that is enforced for all users.
    Enforce,
    /// Mode of a rule that is enforced for its canary users and groups, and observes everyone else.
    Canary(Canary),
}

/// The canary of a rule: the users for whom the rule is enforced while it only observes everyone
/// else. A user belongs to the canary if a pattern in `users` matches the user's name, or one in
/// `groups` matches a group of the user.
#[derive(Debug, Deserialize)]
pub struct Canary {
    /// Patterns of the names of users for whom the rule is enforced; None if the canary names no
    /// users.
    #[serde(default)]
    pub users: Option<Vec<String>>,
    /// Patterns of the groups for whose members the rule is enforced; None if the canary names no
    /// groups.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
}

/// The kinds of command rules that the gate judges, each with the settings of one rule.
#[derive(Debug)]
pub enum Kind {
    /// A rule `limit_command_rate`, which limits the number of requests in a time.
    Rate(Rates),
    /// A rule `limit_command_scope`, which objects to paths in the command's arguments that span
    /// too much of a depot.
    Scope(Scope),
    /// A rule `limit_scanned_rows`, which limits the records that a command makes the server read,
    /// as estimated.
    ScanLimits(ScanLimits),
    /// A rule `block_client_program`, which blocks client programs or their old versions.
    Program(Vec<Program>),
}
