//! The record of one command that a server ran, with the data about it that this log reader keeps
//! from the server's logs.

use crate::record::request::Request;
use crate::record::tables::Tables;

/// Maximum number of errors and of trigger runs stored per command; further ones are dropped.
pub const MAX_ERRORS: usize = 64;
const MAX_TRIGGERS: usize = 1 << 14;
/// Number of bytes at which the text of an error message is cut.
pub const MAX_ERROR_BYTES: usize = 4 << 10;
/// Number of bytes at which the name of a table, lock or trigger, or the identifier of a command,
/// is cut.
pub const MAX_NAME_BYTES: usize = 512;

/// One logged command with its usage of resources and its effects. Values absent from the log are
/// None; milliseconds, kibibytes and mebibytes are p4d's own units ("Interpreting server log
/// files", Perforce Knowledge Base 2525).
#[derive(Debug, Default)]
pub struct Command {
    /// Number of the log file that first mentions the command, counted from 0 in reading order.
    pub file: u32,
    /// Line number of the command's first mention in its log file.
    pub line: u64,
    /// Number of the server process or thread that ran the command.
    pub pid: u64,
    /// The start line of the command: user, client, program, command and arguments.
    pub request: Request,
    /// Start of the command, in nanoseconds since the Unix epoch; None if it is unknown.
    pub start_ns: Option<u64>,
    /// End of the command as stated in the log, in nanoseconds since the Unix epoch; None if not
    /// stated.
    pub completed_ns: Option<u64>,
    /// Duration of the command in nanoseconds, as stated in the log; None if not stated.
    pub lapse_ns: Option<u64>,
    /// Nanoseconds from the command's start to the end of its last compute phase; None if not
    /// logged.
    pub compute_ns: Option<u64>,
    /// Number of compute phases of the command that the log reports.
    pub compute_count: u32,
    /// Nanoseconds for which the server paused the command because of resource pressure; None if
    /// not stated in the log.
    pub paused_ns: Option<u64>,
    /// The command's use of processor, disk, network and memory, as counted by the operating
    /// system.
    pub usage: Option<Usage>,
    /// Memory of the command and peak memory of its server process, in MiB.
    pub memory_mb: Option<[i64; 2]>,
    /// Numbers and sizes of the messages exchanged between the server and the client for the
    /// command; None if not logged.
    pub rpc: Option<Rpc>,
    /// Numbers and sizes of the messages exchanged between the server and its upstream server for
    /// the command; None if not logged.
    pub upstream: Option<Rpc>,
    /// Files and MiB sent, files and MiB received for the command, as counted by the server.
    pub files: Option<[i64; 4]>,
    /// Files and MiB sent, files and MiB received for the command, as counted by the client.
    pub client_files: Option<[i64; 4]>,
    /// Estimated size of the transfer if the command is a sync, logged before the transfer; None if
    /// the log has none that may belong to it.
    pub estimates: Option<Estimates>,
    /// The database tables and locks that the command used.
    pub tables: Tables,
    /// The command's operations on archive files, by kind of archive.
    pub archives: Vec<Archive>,
    /// Files that a proxy delivered for the command, with its cache statistics; None if not logged.
    pub proxy: Option<Proxy>,
    /// Runs of triggers that the command caused, in order, at most 16,384; a trigger's name may
    /// occur twice.
    pub triggers: Vec<Trigger>,
    /// Error messages of the command, as worded by the server, in the order of the log, at most 64
    /// of at most 4 KiB; beyond 64, a reason in the structured record of the command's end replaces
    /// the last one.
    pub errors: Vec<Vec<u8>>,
    /// Whether the log reports that the command ended on a fatal server error.
    pub is_fatal: bool,
    /// Whether the log reports that the command failed the authentication check, that is, its user
    /// was not logged in.
    pub is_unauthenticated: bool,
    /// Whether the log reports that the server process running the command died.
    pub has_died: bool,
    /// Whether the command was still running when the log stopped or the server restarted; None if
    /// unknown.
    pub is_running: Option<bool>,
    /// Identifier that the server assigned to the command, equal in the logs of all servers
    /// involved; empty before 2020.1 and in text logs, which do not state it.
    pub ident: Vec<u8>,
    /// Number that the receiver of the log's records (the sink) may set when the command starts, to
    /// recognize the command when it ends; 0 means that none is set.
    pub mark: u64,
}

/// Resource usage of a command: user and system time in milliseconds, 512-byte blocks in and out,
/// messages received and sent, largest resident set in KiB, page faults that required disk access.
pub type Usage = [i64; 8];

/// Numbers and sizes of the messages that a server exchanged with a client, or with its upstream
/// server, for one command, and the time for which it was blocked meanwhile.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Rpc {
    /// Messages in and out, MiB in and out, and the high-water marks of the two message windows.
    pub counts: [i64; 6],
    /// Nanoseconds for which the server was blocked while sending, and while receiving messages;
    /// None if not logged.
    pub blocked_ns: Option<[u64; 2]>,
}

/// Estimate of the size of a sync, which the server logs before the transfer.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Estimates {
    /// Estimated numbers of files added, updated and deleted, and of bytes added and updated, by a
    /// sync.
    pub counts: [i64; 5],
    /// Whether the estimate may belong to another sync, because several syncs awaited estimates at
    /// the same time and the log does not name the sync.
    pub is_unsure: bool,
}

/// Operations of a command on archive files of one kind, such as `Rcs`.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Archive {
    /// Kind of archive files: `Rcs`, `Binary`, `Compress` or `Uncompress`.
    pub kind: Vec<u8>,
    /// Numbers of opens, closes, checkins and existence tests of archive files.
    pub opens: Option<[i64; 4]>,
    /// Reads and writes of archive files: number of reads, bytes read, number of writes, bytes
    /// written; p4d rounds the bytes.
    pub bytes: Option<[u64; 4]>,
    /// Numbers of the command's requests for digests, for sizes and for times of archive files, and
    /// of copies.
    pub digests: Option<[i64; 4]>,
}

/// Files that a proxy delivered for a command, and the proxy's accesses to its cache.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// Files from the server and from the proxy's cache, bytes from the server and from the cache;
    /// p4p rounds the bytes.
    pub totals: Option<[u64; 4]>,
    /// Values of the proxy's log line on its cache, in order: number of cache faults, their MiB,
    /// number of other requests, of flushes, and of cached files.
    pub faults: Option<[i64; 5]>,
}

/// One run of a trigger that a logged command caused.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Trigger {
    /// Name of the trigger that ran, as in the triggers table.
    pub name: Vec<u8>,
    /// Duration of the trigger's run in nanoseconds; None if not stated in the log.
    pub lapse_ns: Option<u64>,
}

impl Command {
    /// End of the command in nanoseconds since the Unix epoch, as precisely as the log allows; None
    /// if the log states neither the end nor both start and duration.
    ///
    /// A text log states times in whole seconds, rounded down; therefore, if start and duration are
    /// known, the result is their sum, unless the stated end is later.
    #[must_use]
    pub fn end_ns(&self) -> Option<u64> {
        let lapsed = self.start_ns.zip(self.lapse_ns);
        let lapsed = lapsed.and_then(|(start, lapse)| start.checked_add(lapse));
        match (lapsed, self.completed_ns) {
            (Some(lapsed), Some(completed)) => Some(lapsed.max(completed)),
            (one, other) => one.or(other),
        }
    }

    /// Whether the command is of a kind whose end the server logs; replication, transfers between
    /// servers and background threads are not. None if the start line is missing or names no
    /// command.
    #[must_use]
    pub fn ran_for_a_client(&self) -> Option<bool> {
        let name = self.request.command()?;
        let never_ends = [&b"pull"[..], b"client-Stats", b"IDLE", b"Init()"].contains(&name)
            || name.starts_with(b"rmt-")
            || self.request.ip() == Some(b"background");
        Some(!never_ends)
    }

    /// Adds an error message to the command, cut to 4 KiB; drops it if the command has 64 already.
    pub fn add_error(&mut self, text: &[u8]) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(text.get(..MAX_ERROR_BYTES).unwrap_or(text).to_vec());
        }
    }

    /// Adds a run of the trigger `name`, cut to 512 bytes, to the command; drops it if the command
    /// has 16,384 already.
    pub fn add_trigger(&mut self, name: &[u8], lapse_ns: Option<u64>) {
        if self.triggers.len() < MAX_TRIGGERS {
            let name = name.get(..MAX_NAME_BYTES).unwrap_or(name).to_vec();
            self.triggers.push(Trigger { name, lapse_ns });
        }
    }

    /// Clears all fields of the command record for reuse; allocated memory is kept, for the start
    /// line, the tables and the triggers only up to a limit.
    pub fn clear(&mut self) {
        self.request.clear();
        self.tables.clear();
        self.archives.clear();
        self.triggers.clear();
        self.triggers.shrink_to(64);
        self.errors.clear();
        self.ident.clear();
        (self.file, self.is_running, self.proxy) = (0, None, None);
        (self.line, self.pid, self.mark, self.compute_count) = (0, 0, 0, 0);
        (self.start_ns, self.completed_ns, self.lapse_ns) = (None, None, None);
        (self.compute_ns, self.paused_ns, self.memory_mb) = (None, None, None);
        (self.usage, self.rpc, self.upstream) = (None, None, None);
        (self.files, self.client_files, self.estimates) = (None, None, None);
        (self.is_fatal, self.is_unauthenticated, self.has_died) = (false, false, false);
    }
}
