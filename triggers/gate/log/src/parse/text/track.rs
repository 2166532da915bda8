use super::Detail;
use super::shapes::word;
use crate::record::command::{Archive, Command, MAX_NAME_BYTES, Rpc};
use crate::record::tables::{Table, longest, peeks, sum};
use crate::units::numbers::{natural, seconds_ns, size_bytes, whole_numbers};

/// Maximum number of archive entries kept per command; only four kinds of archives exist.
const MAX_ARCHIVES: usize = 16;
const MAX_KIND_BYTES: usize = 32;

/// The part of a command to which the next tracking lines of a log block belong.
#[derive(Debug, Default)]
pub struct TrackedPart {
    section: Section,
    /// Name of the table or lock that a tracking line named last.
    name: Vec<u8>,
    /// Number of the command's tables that earlier log blocks listed. A table of the current block
    /// is searched among these only, because one block lists a table at most once.
    earlier_tables: usize,
    is_upstream: bool,
}

#[derive(Debug, Default, Clone, Copy)]
enum Section {
    #[default]
    Whole,
    Named,
    Table(usize),
    Archive(usize),
    Beyond,
}

/// Two thirds of all log lines are about rows.
pub fn is_about_rows(line: &[u8]) -> bool {
    matches!(
        line,
        [b'-', b'-', b'-', b' ', b' ', b' ', b'p', b'a', ..]
            | [b'-', b'-', b'-', b' ', b' ', b' ', b'l', b'o', b'c', b'k', b's', b' ', b'r', ..]
    )
}

/// The longest lock times, and reads without a lock unless the sink has marked the command.
fn is_left_out(rest: &[u8], command: &Command) -> bool {
    rest.starts_with(b"max ") || (command.mark == 0 && rest.starts_with(b"peek "))
}

/// Whether a tracking line names a lock that belongs to no table, by its end `(R)` or `(W)`.
pub fn is_lock(rest: &[u8]) -> bool {
    rest.ends_with(b"(W)") || rest.ends_with(b"(R)")
}

impl TrackedPart {
    pub fn begin(&mut self, command: &Command) {
        self.section = Section::Whole;
        self.earlier_tables = command.tables.count();
        self.is_upstream = false;
    }

    /// `rest` follows the `---`; false if it is not understood.
    pub fn line(&mut self, rest: &[u8], detail: Detail, to: &mut Command) -> bool {
        if let Some(rest) = rest.strip_prefix(b"   ") {
            return self.table_or_archive(rest, detail, to);
        }
        let Some(rest) = rest.strip_prefix(b" ") else {
            return false;
        };
        if rest.starts_with(b"db.") {
            return self.name(rest);
        }
        self.command_total(rest, detail, to)
    }

    fn table_or_archive(&mut self, rest: &[u8], detail: Detail, to: &mut Command) -> bool {
        if detail == Detail::Locks && is_left_out(rest, to) {
            return true;
        }
        if let Section::Named = self.section {
            let table = to.tables.index_of(&self.name, self.earlier_tables);
            self.section = table.map_or(Section::Beyond, Section::Table);
        }
        match self.section {
            Section::Table(at) => to.tables.get(at).is_some_and(|to| table(rest, to)),
            Section::Archive(at) => to.archives.get_mut(at).is_some_and(|to| archive(rest, to)),
            Section::Beyond => true,
            Section::Whole | Section::Named => false,
        }
    }

    fn command_total(&mut self, rest: &[u8], detail: Detail, to: &mut Command) -> bool {
        let (first, more) = word(rest);
        match first {
            b"lapse" => set(&mut to.lapse_ns, seconds_ns(more)),
            b"usage" if detail == Detail::Locks && to.mark == 0 => true,
            b"usage" => set(&mut to.usage, whole_numbers(more)),
            b"rpc" | b"memory" | b"filetotals" if detail == Detail::Locks => true,
            b"rpc" => self.rpc(more, to),
            b"memory" => set(&mut to.memory_mb, whole_numbers(more)),
            b"filetotals" => files(more, self.is_upstream, to),
            b"paused" => set(&mut to.paused_ns, seconds_ns(more)),
            b"lbr" => self.archives(more, to),
            b"exited" if more == b"on fatal server error" => flag(&mut to.is_fatal),
            b"failed" if more == b"authentication check" => flag(&mut to.is_unauthenticated),
            b"proxy" if more.starts_with(b"faults ") => {
                set(&mut to.proxy.get_or_insert_default().faults, whole_numbers(more))
            }
            b"proxytotals" => set(&mut to.proxy.get_or_insert_default().totals, proxy_totals(more)),
            _ if more.is_empty() && first.iter().any(|byte| matches!(byte, b'.' | b'/')) => {
                self.name(first)
            }
            _ => false,
        }
    }

    fn name(&mut self, name: &[u8]) -> bool {
        self.name.clear();
        self.name.extend_from_slice(name.get(..MAX_NAME_BYTES).unwrap_or(name));
        self.section = Section::Named;
        true
    }

    fn archives(&mut self, kind: &[u8], to: &mut Command) -> bool {
        let kind = kind.get(..MAX_KIND_BYTES).unwrap_or(kind);
        let index = to.archives.iter().position(|archive| archive.kind == kind);
        self.section = match index {
            Some(index) => Section::Archive(index),
            None if to.archives.len() >= MAX_ARCHIVES => Section::Beyond,
            None => {
                to.archives.push(Archive { kind: kind.to_vec(), ..Archive::default() });
                Section::Archive(to.archives.len() - 1)
            }
        };
        true
    }

    /// Parses `msgs/size in+out 20+21/22mb+23mb himarks 318788/318789 snd/rcv .001s/.002s`; a
    /// server's name in parentheses before it stands for the upstream server.
    fn rpc(&mut self, rest: &[u8], to: &mut Command) -> bool {
        let (server, rest) = match rest {
            [b'(', ..] => word(rest),
            _ => (&b""[..], rest),
        };
        if is_rpc_error(rest) {
            return true;
        }
        self.is_upstream = !server.is_empty();
        let blocked = memchr::memmem::find(rest, b" snd/rcv ");
        let (counts, blocked) = rest.split_at(blocked.unwrap_or(rest.len()));
        let Some(counts) = whole_numbers(counts) else {
            return false;
        };
        let blocked_ns = blocked.get(9..).and_then(|times| {
            let slash = memchr::memchr(b'/', times)?;
            Some([seconds_ns(times.get(..slash)?)?, seconds_ns(times.get(slash + 1..)?)?])
        });
        let place = if self.is_upstream { &mut to.upstream } else { &mut to.rpc };
        *place = Some(Rpc { counts, blocked_ns });
        true
    }
}

/// Such as `send receive errors, duplexing F/R 318788/0`, of one direction or both.
fn is_rpc_error(rest: &[u8]) -> bool {
    let starts = [&b"send errors, "[..], b"receive errors, ", b"send receive errors, "];
    starts.iter().any(|start| rest.starts_with(start))
}

/// Parses `(svr) send/recv files+bytes 25+1862mb/1+2mb`, or the same with `(client)`. After
/// messages with the upstream server, the files were exchanged with it and are skipped.
fn files(rest: &[u8], upstream: bool, to: &mut Command) -> bool {
    let (receiver, counts) = word(rest);
    match receiver {
        _ if upstream => true,
        b"(svr)" => set(&mut to.files, whole_numbers(counts)),
        b"(client)" => set(&mut to.client_files, whole_numbers(counts)),
        _ => false,
    }
}

/// Parses the transfer totals of a proxy, such as `files/size svr+cache 1403+203/25.6M+254M`.
fn proxy_totals(rest: &[u8]) -> Option<[u64; 4]> {
    let counts = rest.strip_prefix(b"files/size svr+cache ")?;
    let (files, bytes) = counts.split_at_checked(memchr::memchr(b'/', counts)?)?;
    let [server, cache] = pair(files, natural)?;
    let [server_bytes, cache_bytes] = pair(bytes.get(1..)?, size_bytes)?;
    Some([server, cache, server_bytes, cache_bytes])
}

fn pair(text: &[u8], parse: fn(&[u8]) -> Option<u64>) -> Option<[u64; 2]> {
    let (first, second) = text.split_at_checked(memchr::memchr(b'+', text)?)?;
    Some([parse(first)?, parse(second.get(1..)?)?])
}

fn table(rest: &[u8], to: &mut Table) -> bool {
    match rest {
        [b'p', b'a', b'g', b'e', b's', b' ', b'i', ..] => sum(&mut to.pages, whole_numbers(rest)),
        [b'p', b'a', b'g', b'e', b's', b' ', b's', ..] => sum(&mut to.splits, whole_numbers(rest)),
        [b'l', b'o', b'c', b'k', b's', b' ', b'r', ..] => sum(&mut to.uses, whole_numbers(rest)),
        // Servers before 2007 state the lock times of a table in a line with `locks w`.
        [b'l', b'o', b'c', b'k', b's', b' ', b'w', ..] => {
            sum(&mut to.total_ms, whole_numbers(rest))
        }
        [b't', b'o', b't', b'a', b'l', b' ', ..] => sum(&mut to.total_ms, whole_numbers(rest)),
        [b'm', b'a', b'x', b' ', ..] => longest(&mut to.max_ms, whole_numbers(rest)),
        [b'p', b'e', b'e', b'k', b' ', ..] => peeks(&mut to.peeks, whole_numbers(rest)),
        _ => false,
    }
}

fn archive(rest: &[u8], to: &mut Archive) -> bool {
    let (first, counts) = word(rest);
    match first {
        b"opens+closes+checkins+exists" => sum(&mut to.opens, whole_numbers(counts)),
        b"digests+filesizes+modtimes+copies" => sum(&mut to.digests, whole_numbers(counts)),
        b"reads+readbytes+writes+writebytes" => sum_bytes(&mut to.bytes, counts),
        _ => false,
    }
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let is_complete = value.is_some();
    if is_complete {
        *place = value;
    }
    is_complete
}

fn flag(place: &mut bool) -> bool {
    *place = true;
    true
}

fn sum_bytes(place: &mut Option<[u64; 4]>, counts: &[u8]) -> bool {
    let mut parts = counts.split(|byte| *byte == b'+');
    let mut next = |parse: fn(&[u8]) -> Option<u64>| parts.next().and_then(parse);
    let numbers = (next(natural), next(size_bytes), next(natural), next(size_bytes));
    let (Some(reads), Some(bytes), Some(writes), Some(written_bytes)) = numbers else {
        return false;
    };
    let sums = place.get_or_insert([0; 4]);
    let more = [reads, bytes, writes, written_bytes];
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    true
}
