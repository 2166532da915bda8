//! The event that command rules judge: one command that a user sends to the server.

use crate::base::visible::visible_excerpt;
use crate::event::lazy_index::LazyIndex;
use crate::event::line_check::BrokenName;
use crate::paths::command_synonyms::{CommandName, resolve_name};
use crate::policy::compiled::Depots;
use crate::policy::pressure::Level;
use p4warden_index::file::index::Index;

/// The facts about one command of a user that rules may use; None stands for a fact that the server
/// did not pass.
#[derive(Clone)]
pub struct Event<'a> {
    /// Name of the command as the user sent it, which may be a synonym; without the prefix `user-`.
    pub command: &'a [u8],
    /// Main name of the command, by which the policy's rules are looked up, with the option or word
    /// that makes it equivalent to the name that the user sent, such as `sync` with `-k` for
    /// `flush`.
    pub name: CommandName<'a>,
    /// Name of the user who sent the command; None if unknown.
    pub user: Option<&'a [u8]>,
    /// Names of the groups that contain the user; empty if the server passed none.
    pub groups: Vec<&'a [u8]>,
    /// Name of the client that the command uses, chosen freely by the user; None if unknown.
    pub client: Option<&'a [u8]>,
    /// IP address that the command comes from; None if unknown.
    pub ip: Option<&'a [u8]>,
    /// Name of the client program that sends the command, chosen freely by the user; None if
    /// unknown.
    pub prog: Option<&'a [u8]>,
    /// Version that the client program passes to the server: its own or that of its API; None if
    /// unknown.
    pub version: Option<&'a [u8]>,
    /// Text of the command's arguments, joined by blanks as in `%args%`; None if unknown.
    pub args: Option<&'a [u8]>,
    /// Names of the server's depots; None if unknown, or if no rule for the command needs them.
    pub depots: Option<Depots<'a>>,
    /// Working directory of the user's command, on the user's machine; None if unknown.
    pub directory: Option<&'a [u8]>,
    /// Index of the server's checkpoint, for estimates of the number of records that the command
    /// reads and for the views of clients; None for none.
    pub index: Option<&'a LazyIndex<'a>>,
    /// Whether the event comes from the trial run of a deploy: then it is exempt from no rule, and
    /// every rule is enforced, whatever its mode.
    pub is_trial: bool,
    /// Whether the event's trigger line counts as tampered with, for example because a quotation
    /// mark in a user's client name broke it apart; the event's uncertain facts are then None.
    pub is_tampered: bool,
    /// The user-chosen value that seems to have broken the trigger line apart; None if unknown, or
    /// if the line is intact.
    pub broken_name: Option<BrokenName<'a>>,
    /// Load level of the server (low, medium or high); None if unknown.
    pub pressure: Option<Level>,
    /// Function that returns the local date of the event, `YYYY-MM-DD`. It is called only for
    /// exemptions with an end date, because a trigger has to read the time zone file for it.
    pub day: &'a dyn Fn() -> String,
    /// Function that returns the earliest and the latest time, in seconds since the Unix epoch, that
    /// a date in a revision, such as `2026/01/31:12:00:00`, can mean on the server. It is called only
    /// for such dates.
    pub times_of: &'a dyn Fn(&[u8]) -> Option<[u64; 2]>,
    /// Function that returns depot directories from which many files are synced: first to the
    /// event's client, then to all clients that the user owns; none without an index. It is called
    /// only if a rule objects to the event, because a trigger may have to open the index for it.
    pub used_directories: &'a dyn Fn() -> Vec<Vec<u8>>,
    /// Whether the server distinguishes upper and lower case in names.
    pub case_sensitive: bool,
    /// Whether the server is known to be in unicode mode; false if the mode is unknown.
    pub unicode: bool,
}

impl<'a> Event<'a> {
    /// The index of the server's checkpoint; None if there is none that can be used.
    #[must_use]
    pub fn checkpoint_index(&self) -> Option<&'a Index> {
        self.index.and_then(LazyIndex::get)
    }

    /// A user-chosen text as refusals of the event's server show it, cut to `MAX_ITEM_CHARACTERS`
    /// bytes.
    #[must_use]
    pub fn excerpt(&self, text: &[u8]) -> String {
        visible_excerpt(text, self.unicode)
    }
}

/// Main names of the Perforce commands that are never limited, such as those with which
/// administrators repair a faulty policy and users log in.
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

/// Splits the value of the trigger option `--groups` into group names, at white space and commas,
/// as `worker/arguments.py` does. The release notes of 2014.1 show group names separated by blanks;
/// a group's name cannot contain a comma.
pub fn groups_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b',');
    text.split(between).filter(|group| !group.is_empty())
}

/// Whether a command, given by its main name or a synonym, is one that is never limited, whatever
/// the policy says.
#[must_use]
pub fn is_rescue(command: &[u8]) -> bool {
    let main = resolve_name(command).main_name;
    RESCUE.iter().any(|rescue| rescue.as_bytes() == main)
}
