use crate::record::request::Request;
use crate::record::tables::Tables;

/// Maximum number of errors and of trigger runs stored per command; further ones are dropped.
pub const MAX_ERRORS: usize = 64;
const MAX_TRIGGERS: usize = 1 << 14;
pub const MAX_ERROR_BYTES: usize = 4 << 10;
/// Also of the identifier of a command.
pub const MAX_NAME_BYTES: usize = 512;

/// One logged command with its usage of resources and its effects. Values absent from the log are
/// None; milliseconds, kibibytes and mebibytes are p4d's own units ("Interpreting server log
/// files", Perforce Knowledge Base 2525).
#[derive(Debug, Default)]
pub struct Command {
    /// The file that first mentions the command, counted from 0 in reading order.
    pub file: u32,
    pub line: u64,
    pub pid: u64,
    pub request: Request,
    /// In nanoseconds since the Unix epoch, as `completed_ns`.
    pub start_ns: Option<u64>,
    /// As stated in the log.
    pub completed_ns: Option<u64>,
    pub lapse_ns: Option<u64>,
    /// From the command's start to the end of its last compute phase.
    pub compute_ns: Option<u64>,
    pub compute_count: u32,
    pub paused_ns: Option<u64>,
    pub usage: Option<Usage>,
    /// Memory of the command and peak memory of its server process, in MiB.
    pub memory_mb: Option<[i64; 2]>,
    pub rpc: Option<Rpc>,
    pub upstream: Option<Rpc>,
    /// Files and MiB sent, files and MiB received, as counted by the server.
    pub files: Option<[i64; 4]>,
    /// The same, as counted by the client.
    pub client_files: Option<[i64; 4]>,
    pub estimates: Option<Estimates>,
    pub tables: Tables,
    pub archives: Vec<Archive>,
    pub proxy: Option<Proxy>,
    /// In order, at most 16,384; a trigger's name may occur twice.
    pub triggers: Vec<Trigger>,
    /// At most 64 of at most 4 KiB, as worded by the server; beyond 64, a reason in the structured
    /// record of the command's end replaces the last one.
    pub errors: Vec<Vec<u8>>,
    pub is_fatal: bool,
    /// The user was not logged in.
    pub is_unauthenticated: bool,
    /// The server process that ran the command died.
    pub has_died: bool,
    /// When the log stopped or the server restarted; None if unknown.
    pub is_running: Option<bool>,
    /// Equal in the logs of all servers involved; empty before 2020.1 and in text logs.
    pub ident: Vec<u8>,
    /// Set by the sink at the start, to recognize the command at its end; 0 if none is set.
    pub mark: u64,
}

/// Resource usage of a command: user and system time in milliseconds, 512-byte blocks in and out,
/// messages received and sent, largest resident set in KiB, page faults that required disk access.
pub type Usage = [i64; 8];

#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Rpc {
    /// Messages in and out, MiB in and out, and the high-water marks of the two message windows.
    pub counts: [i64; 6],
    /// Nanoseconds for which the server was blocked while sending, and while receiving.
    pub blocked_ns: Option<[u64; 2]>,
}

/// The server logs it before the transfer.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Estimates {
    /// Files added, updated and deleted, bytes added and updated.
    pub counts: [i64; 5],
    /// Several syncs awaited estimates at the same time, and the log does not name the sync.
    pub is_unsure: bool,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Archive {
    /// `Rcs`, `Binary`, `Compress` or `Uncompress`.
    pub kind: Vec<u8>,
    /// Opens, closes, checkins and existence tests.
    pub opens: Option<[i64; 4]>,
    /// Number of reads, bytes read, number of writes, bytes written; p4d rounds the bytes.
    pub bytes: Option<[u64; 4]>,
    /// Requests for digests, for sizes and for times, and copies.
    pub digests: Option<[i64; 4]>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// Files from the server and the cache, bytes from the server and the cache, rounded by p4p.
    pub totals: Option<[u64; 4]>,
    /// Cache faults, their MiB, other requests, flushes, cached files.
    pub faults: Option<[i64; 5]>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Trigger {
    pub name: Vec<u8>,
    pub lapse_ns: Option<u64>,
}

impl Command {
    /// Nanoseconds since the Unix epoch. A text log states times in whole seconds, rounded down; if
    /// start and duration are known, the result is their sum, unless the stated end is later.
    pub fn end_ns(&self) -> Option<u64> {
        let lapsed = self.start_ns.zip(self.lapse_ns);
        let lapsed = lapsed.and_then(|(start, lapse)| start.checked_add(lapse));
        match (lapsed, self.completed_ns) {
            (Some(lapsed), Some(completed)) => Some(lapsed.max(completed)),
            (one, other) => one.or(other),
        }
    }

    /// The server logs no end of replication, transfers between servers and background threads.
    /// None if the start line is missing or names no command.
    pub fn ran_for_a_client(&self) -> Option<bool> {
        let name = self.request.command()?;
        let never_ends = [&b"pull"[..], b"client-Stats", b"IDLE", b"Init()"].contains(&name)
            || name.starts_with(b"rmt-")
            || self.request.ip() == Some(b"background");
        Some(!never_ends)
    }

    pub fn add_error(&mut self, text: &[u8]) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(text.get(..MAX_ERROR_BYTES).unwrap_or(text).to_vec());
        }
    }

    pub fn add_trigger(&mut self, name: &[u8], lapse_ns: Option<u64>) {
        if self.triggers.len() < MAX_TRIGGERS {
            let name = name.get(..MAX_NAME_BYTES).unwrap_or(name).to_vec();
            self.triggers.push(Trigger { name, lapse_ns });
        }
    }

    /// Memory is kept for reuse, up to a limit.
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
