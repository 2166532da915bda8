//! One command that a user asks the server for.

use crate::paths::command_synonyms::{Named, named};
use crate::policy::compiled::Depots;
use crate::policy::pressure::Level;
use p4warden_index::file::index::Index;

/// The known facts about a command; a fact that the server did not give is None.
#[derive(Clone)]
pub struct Event<'a> {
    /// The command as it was asked for, without `user-`.
    pub command: &'a [u8],
    /// The same by its main name, by which rules are found.
    pub named: Named<'a>,
    /// Who asks.
    pub user: Option<&'a [u8]>,
    /// The user's groups.
    pub groups: Vec<&'a [u8]>,
    /// The client the command comes from, which its user chooses freely.
    pub client: Option<&'a [u8]>,
    /// The IP address.
    pub ip: Option<&'a [u8]>,
    /// The program's name, which its user chooses freely as well.
    pub prog: Option<&'a [u8]>,
    /// The program's version, or what its API says of itself.
    pub version: Option<&'a [u8]>,
    /// The text of its arguments; None where it is not known.
    pub args: Option<&'a [u8]>,
    /// The server's depots; None where they are not known.
    pub depots: Option<Depots<'a>>,
    /// The directory that the command was started in, on the client's machine.
    pub directory: Option<&'a [u8]>,
    /// The index of the server's checkpoint; None where there is none, or it is another server's.
    pub index: Option<&'a Index>,
    /// Whether a deploy tries its triggers out: no one is exempt then, and every rule acts.
    pub is_trial: bool,
    /// Whether a name that its user chose broke the trigger line apart; uncertain facts are None.
    pub tampered: bool,
    /// How hard the server works; None where it is not known.
    pub pressure: Option<Level>,
    /// Tells the server's local date, `YYYY-MM-DD`; few events need it, and it costs a file.
    pub day: &'a dyn Fn() -> String,
    /// Whether the server tells `A` from `a`.
    pub case_sensitive: bool,
}

/// Commands that are never limited: with them administrators mend what a policy broke, and clients
/// log in and find out where they are.
const RESCUE: [&str; 31] = [
    "admin",
    "configure",
    "counter",
    "counters",
    "extension",
    "failover",
    "group",
    "groups",
    "help",
    "info",
    "journals",
    "login",
    "login2",
    "logout",
    "logstat",
    "monitor",
    "passwd",
    "ping",
    "property",
    "protect",
    "protects",
    "pull",
    "server",
    "serverid",
    "servers",
    "set",
    "tickets",
    "triggers",
    "trust",
    "user",
    "users",
];

/// Whether a command is never limited, whatever the policy says.
#[must_use]
pub fn is_rescue(command: &[u8]) -> bool {
    let main = named(command).main;
    RESCUE.iter().any(|known| known.as_bytes() == main)
}
