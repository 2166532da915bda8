//! One command that a server ran, as far as its log tells.

use crate::record::request::Request;
use crate::record::tables::Tables;

/// The usage and effects of a command. Values absent from the log are None; milliseconds,
/// kibibytes and mebibytes are p4d's own units ("Interpreting server log files", Perforce
/// Knowledge Base 2525).
#[derive(Debug, Default)]
pub struct Command {
    /// The file of the log where it is first named, counted from 0 in the order of reading.
    pub file: u32,
    /// The line of that file.
    pub line: u64,
    /// The server's process, or thread, that ran it.
    pub pid: u64,
    /// Who asked for what.
    pub request: Request,
    /// When it began, in nanoseconds since the epoch.
    pub start_ns: Option<u64>,
    /// When the log says that it was over.
    pub completed_ns: Option<u64>,
    /// How long it took.
    pub lapse_ns: Option<u64>,
    /// How long after its start the last of its compute phases was over.
    pub compute_ns: Option<u64>,
    /// How many compute phases it had.
    pub computes: u32,
    /// How long it was held because the server was under pressure.
    pub paused_ns: Option<u64>,
    /// Counts of the operating system.
    pub usage: Option<Usage>,
    /// Memory of this command and the peak of its process, in MiB.
    pub memory_mb: Option<[i64; 2]>,
    /// Its messages with the client.
    pub rpc: Option<Rpc>,
    /// Its messages with the server behind this one.
    pub upstream: Option<Rpc>,
    /// Files and MiB sent, files and MiB received, by the server.
    pub files: Option<[i64; 4]>,
    /// The same as the client counted.
    pub client_files: Option<[i64; 4]>,
    /// Estimate of a sync before its transfer.
    pub estimates: Option<Estimates>,
    /// The tables and locks it used.
    pub tables: Tables,
    /// Work on archive files.
    pub archives: Vec<Archive>,
    /// A proxy's own account.
    pub proxy: Option<Proxy>,
    /// Triggers it ran, in order; a name may come twice.
    pub triggers: Vec<Trigger>,
    /// Error messages, in the server's words.
    pub errors: Vec<Vec<u8>>,
    /// It ended with a fatal error.
    pub fatal: bool,
    /// Its user was not logged in.
    pub unauthenticated: bool,
    /// Its process died.
    pub died: bool,
    /// Whether it ran when the log stopped or the server started anew; None where it is not known.
    pub running: Option<bool>,
    /// Its identifier, the same in the logs of all servers that it involved (2020.1 and later).
    pub ident: Vec<u8>,
    /// Free for whoever reads the log: facts noted about the command at its start.
    pub mark: u64,
}

/// User and system time in milliseconds, 512-byte blocks in and out, messages received and sent,
/// the largest resident set in KiB, page faults that needed the disk.
pub type Usage = [i64; 8];

/// Messages between two programs.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Rpc {
    /// Messages in and out, MiB in and out, and the windows' high marks.
    pub counts: [i64; 6],
    /// How long it was blocked while sending and while receiving.
    pub blocked_ns: Option<[u64; 2]>,
}

/// Estimate of a sync before its transfer.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Estimates {
    /// Files added, updated and deleted, bytes added and updated.
    pub counts: [i64; 5],
    /// Two syncs waited for estimates at once, and the log does not say whose these are.
    pub unsure: bool,
}

/// Operations of a command on archive files of one kind.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Archive {
    /// `Rcs`, `Binary`, `Compress` or `Uncompress`.
    pub kind: Vec<u8>,
    /// Opens, closes, checkins and tests for existence.
    pub opens: Option<[i64; 4]>,
    /// Reads, bytes read, writes, bytes written; p4d rounds the bytes.
    pub bytes: Option<[u64; 4]>,
    /// Digests, sizes and times asked for, and copies.
    pub digests: Option<[i64; 4]>,
}

/// Files that a proxy delivered, and its accesses to its cache.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// Files from the server and from the cache, bytes from the server and from the cache; p4p rounds
    /// the bytes.
    pub totals: Option<[u64; 4]>,
    /// Faults, their MiB, other requests, flushes, cached.
    pub faults: Option<[i64; 5]>,
}

/// One run of a trigger.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Trigger {
    /// Its name in the triggers table.
    pub name: Vec<u8>,
    /// How long it ran.
    pub lapse_ns: Option<u64>,
}

impl Command {
    /// When it was over, as exactly as the log allows.
    ///
    /// The log writes whole seconds and cuts the rest off, so where the lapse is known the end is
    /// the start and the lapse.
    #[must_use]
    pub fn end_ns(&self) -> Option<u64> {
        let lapsed = self.start_ns.zip(self.lapse_ns);
        let lapsed = lapsed.and_then(|(start, lapse)| start.checked_add(lapse));
        match (lapsed, self.completed_ns) {
            (Some(lapsed), Some(completed)) => Some(lapsed.max(completed)),
            (one, other) => one.or(other),
        }
    }

    /// Whether it ran for a client, and so has an end: replication, transfers between servers and
    /// background threads have none. None where its start was not seen.
    #[must_use]
    pub fn ran_for_a_client(&self) -> Option<bool> {
        let name = self.request.command()?;
        let never_ends = [&b"pull"[..], b"client-Stats", b"IDLE", b"Init()"].contains(&name)
            || name.starts_with(b"rmt-")
            || self.request.ip() == Some(b"background");
        Some(!never_ends)
    }

    /// Forgets all; allocated memory is kept for the next command, unless it is much.
    pub fn clear(&mut self) {
        self.request.clear();
        self.tables.clear();
        self.archives.clear();
        self.triggers.clear();
        self.errors.clear();
        self.ident.clear();
        (self.file, self.running, self.proxy) = (0, None, None);
        (self.line, self.pid, self.mark, self.computes) = (0, 0, 0, 0);
        (self.start_ns, self.completed_ns, self.lapse_ns) = (None, None, None);
        (self.compute_ns, self.paused_ns, self.memory_mb) = (None, None, None);
        (self.usage, self.rpc, self.upstream) = (None, None, None);
        (self.files, self.client_files, self.estimates) = (None, None, None);
        (self.fatal, self.unauthenticated, self.died) = (false, false, false);
    }
}
