//! The event that command rules judge: one command that a user sends to the server.

use crate::base::visible::visible_excerpt;
use crate::event::lazy_index::LazyIndex;
use crate::event::line_check::BrokenName;
use crate::event::refused::{Refused, Subject};
use crate::event::running_process::RunningProcess;
use crate::event::selector::{Sender, Server};
use crate::facts::depots::Depots;
use crate::paths::command_synonyms::{CommandName, resolve_name};
use crate::policy::pressure::Load;
use crate::rate::queue::Ends;
use p4warden_index::estimate::form::Names;
use p4warden_index::file::index::Index;

/// None stands for a fact that the server did not pass.
#[derive(Clone)]
pub struct Event<'a> {
    /// As the user sent it, perhaps a synonym; without the prefix `user-`.
    pub command: &'a [u8],
    /// By which the policy's rules are looked up.
    pub name: CommandName<'a>,
    pub user: Option<&'a [u8]>,
    /// Empty for a user in no group.
    pub groups: Option<Vec<&'a [u8]>>,
    /// Chosen freely by the user.
    pub client: Option<&'a [u8]>,
    pub ip: Option<&'a [u8]>,
    pub server: Server<'a>,
    /// Since the Unix epoch.
    pub time_s: i64,
    /// Name of the client program, chosen freely by the user.
    pub prog: Option<&'a [u8]>,
    /// The client program's own version or that of its API.
    pub version: Option<&'a [u8]>,
    /// Joined by blanks as in `%args%`.
    pub args: Option<&'a [u8]>,
    /// They are more than is read, and then not known.
    pub args_are_cut: bool,
    /// None if unknown, or if no rule for the command needs them.
    pub depots: Option<Depots<'a>>,
    /// On the user's machine.
    pub directory: Option<&'a [u8]>,
    /// For estimates, and for the views of clients; None for none.
    pub index: Option<&'a LazyIndex<'a>>,
    /// From a deploy's trial run: exempt from no rule, and every rule is enforced.
    pub is_trial: bool,
    /// The event's uncertain facts are then None.
    pub is_tampered: bool,
    /// None if unknown, or if the line is intact.
    pub broken_name: Option<BrokenName<'a>>,
    pub load: Load,
    /// Of the command; unknown if no rule needs it.
    pub ends: Ends,
    /// None for a command that is sent.
    pub running: Option<&'a RunningProcess<'a>>,
    /// Local date `YYYY-MM-DD`; called only if needed, because it reads the time zone file.
    pub day: &'a dyn Fn() -> String,
    /// Earliest and latest time, in seconds since the Unix epoch, of a date in a revision.
    pub times_of: &'a dyn Fn(&[u8]) -> Option<[u64; 2]>,
    pub case_sensitive: bool,
    /// False if the mode is unknown.
    pub unicode: bool,
    /// Whether client forms have the field LimitView; false if unknown.
    pub limit_view: bool,
}

/// Instead of arguments, from a p4d that does not have the trigger variable.
const UNEXPANDED: &[u8] = b"%args%";

impl<'a> Event<'a> {
    /// With nothing known but its command, on a server with case and without unicode.
    pub fn unknown(command: &'a [u8], day: &'a dyn Fn() -> String) -> Self {
        Event {
            command,
            name: resolve_name(command),
            user: None,
            groups: None,
            client: None,
            ip: None,
            server: Server::default(),
            time_s: 0,
            prog: None,
            version: None,
            args: None,
            args_are_cut: false,
            depots: None,
            directory: None,
            index: None,
            is_trial: false,
            is_tampered: false,
            broken_name: None,
            load: Load::UNKNOWN,
            ends: Ends::Unknown,
            running: None,
            day,
            times_of: &|_| None,
            case_sensitive: true,
            unicode: false,
            limit_view: false,
        }
    }

    pub fn known_args(&self) -> Option<&'a [u8]> {
        self.args.filter(|args| *args != UNEXPANDED)
    }

    /// None if there is none that can be used.
    pub fn checkpoint_index(&self) -> Option<&'a Index> {
        self.index.and_then(LazyIndex::get)
    }

    /// Directories of many synced files: the client's, then those of all clients of the user; none
    /// without an index.
    pub fn used_directories(&self) -> Vec<Vec<u8>> {
        let names = Names { client: self.client, user: self.user };
        let index = self.checkpoint_index();
        index.and_then(|index| index.used_directories(names, None).ok()).unwrap_or_default()
    }

    /// The stream of its client, by the index, such as `//depot/main`.
    pub fn stream(&self) -> Option<Vec<u8>> {
        let client = self.checkpoint_index()?.client(self.client?).ok()??;
        client.stream.map(|stream| stream.name)
    }

    /// None if the user is not known for certain, or looks in the log like another.
    pub fn refused(&self) -> Option<Refused<'_>> {
        let user = self.user.filter(|_| !self.is_tampered)?;
        let subject = Subject::Command(self.command);
        Refused { user, ip: self.ip, subject }.unmistakable()
    }

    pub fn sender(&self) -> Sender<'_> {
        Sender {
            user: self.user,
            groups: self.groups.as_deref(),
            client: self.client,
            described_client: None,
            ip: self.ip,
            prog: self.prog,
            server: self.server,
            time_s: Some(self.time_s),
            day: self.day,
            case_sensitive: self.case_sensitive,
        }
    }

    pub fn excerpt(&self, text: &[u8]) -> String {
        visible_excerpt(text, self.unicode)
    }
}

/// Main names of the Perforce commands that are never limited, such as those with which
/// administrators repair a faulty policy and users log in.
pub const RESCUE: [&str; 31] = [
    "admin", "configure", "counter", "counters", "extension", "failover", "group", "groups",
    "help", "info", "journals", "login", "login2", "logout", "logstat", "monitor", "passwd",
    "ping", "property", "protect", "protects", "pull", "server", "serverid", "servers", "set",
    "tickets", "triggers", "trust", "user", "users",
];

/// The release notes of 2014.1 show group names separated by
/// blanks; a group's name cannot contain a comma.
pub fn groups_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b',');
    text.split(between).filter(|group| !group.is_empty())
}

pub fn is_rescue(command: &[u8]) -> bool {
    let main = resolve_name(command).main_name;
    RESCUE.iter().any(|rescue| rescue.as_bytes() == main)
}
