//! Estimate of the time for which other commands waited for locks of commands that rules of the
//! replayed policy refuse, or would if enforced.
//!
//! The log states how long a command waited for a table's locks and how long it held them, but not
//! when, and not which command it waited for. Therefore a wait is attributed to another command's
//! lock for at most the time of the wait and the time for which the lock was held; the read and the
//! write wait of a command on a table together for at most the time for which both commands ran.

use super::names::update_entry;
use super::saved_usage::positive_or_zero;
use crate::record::command::Command;
use std::collections::{HashMap, VecDeque};

/// Maximum number of recent held locks, and of recent waits, that the estimate of lock waits keeps
/// for each table.
const MAX_RECENT: usize = 256;
/// Maximum number of tables and other locks, such as those of clients, of which the estimate of
/// lock waits keeps lock times.
const MAX_TABLES: usize = 4_096;
const SECOND_NS: u64 = 1_000_000_000;

/// Statistics of the lock waits that may have been caused by commands that rules of the replayed
/// policy refuse, or would if enforced.
#[derive(Debug, Default)]
pub struct Contention {
    tables: HashMap<Vec<u8>, RecentUses>,
    /// Number of lock waits that commands refused by the policy, or by its rules if enforced, may
    /// have caused.
    pub waits: u64,
    /// Total time in milliseconds of other commands' lock waits that the estimate attributes to
    /// commands that rules of the policy refuse, or would if enforced.
    pub waited_ms: u64,
    /// Number of lock times that the estimate dropped because the log has too many tables and
    /// locks.
    pub omitted_count: u64,
}

#[derive(Debug, Default)]
struct RecentUses {
    holds: VecDeque<LockUse>,
    waits: VecDeque<LockUse>,
}

/// Lock times of one command on one table or lock, with the command's start and its latest possible
/// end.
#[derive(Debug, Clone, Copy)]
struct LockUse {
    from_ns: u64,
    until_ns: u64,
    /// In the list `holds`: milliseconds for which the command held read locks. In the list
    /// `waits`: milliseconds for which it waited for read locks, less the time already attributed
    /// to locks of other commands. `write_ms` is the corresponding time for write locks.
    read_ms: u64,
    write_ms: u64,
    is_explained: bool,
}

impl Contention {
    /// Processes a logged command that has ended: with `would_stop` stores the times for which it
    /// held locks, otherwise those of its lock waits, and attributes waits to such held locks.
    /// Ignores a command whose start or end is unknown.
    pub fn end_command(&mut self, command: &Command, would_stop: bool) {
        let Some((from_ns, until_ns)) = command.start_ns.zip(command.end_ns()) else {
            return;
        };
        for (name, table) in command.tables.iter() {
            let Some(times) = table.total_ms else {
                continue;
            };
            let [read_wait, read_held, write_wait, write_held] = times.map(positive_or_zero);
            let (read_ms, write_ms) =
                if would_stop { (read_held, write_held) } else { (read_wait, write_wait) };
            if read_ms + write_ms == 0 {
                continue;
            }
            // The log rounds times down to whole seconds, so a command may have ended up to a
            // second later: the latest possible end is used.
            let until_ns = until_ns.saturating_add(SECOND_NS);
            let lock_times = LockUse { from_ns, until_ns, read_ms, write_ms, is_explained: false };
            self.make_room(name);
            if would_stop {
                self.add_hold(name, lock_times);
            } else {
                self.add_wait(name, lock_times);
            }
        }
    }

    /// Drops all lock times if the table or lock `name` is new and would be one too many.
    fn make_room(&mut self, name: &[u8]) {
        if self.tables.len() >= MAX_TABLES && !self.tables.contains_key(name) {
            let recent = self.tables.values();
            let counts = recent.map(|recent| recent.holds.len() + recent.waits.len());
            self.omitted_count += counts.sum::<usize>() as u64;
            self.tables.clear();
        }
    }

    fn add_hold(&mut self, name: &[u8], hold: LockUse) {
        let Contention { tables, waits, waited_ms, .. } = self;
        update_entry(tables, name, |recent| {
            for wait in &mut recent.waits {
                explain(wait, &hold, waits, waited_ms);
            }
            push(&mut recent.holds, hold);
        });
    }

    fn add_wait(&mut self, name: &[u8], mut wait: LockUse) {
        let Contention { tables, waits, waited_ms, .. } = self;
        update_entry(tables, name, |recent| {
            for hold in &recent.holds {
                explain(&mut wait, hold, waits, waited_ms);
            }
            push(&mut recent.waits, wait);
        });
    }
}

/// Attributes to the held lock `hold` as much of another command's lock wait `wait` as it can have
/// caused: subtracts that time from the wait and adds it to `waited_ms`; counts the wait once in
/// `waits`. A reader waits for writers only, a writer for readers and writers.
fn explain(wait: &mut LockUse, hold: &LockUse, waits: &mut u64, waited_ms: &mut u64) {
    let together_ns = wait.until_ns.min(hold.until_ns);
    let together_ns = together_ns.saturating_sub(wait.from_ns.max(hold.from_ns));
    let together_ms = together_ns / 1_000_000;
    let for_read = wait.read_ms.min(hold.write_ms).min(together_ms);
    let for_write = wait.write_ms.min(hold.read_ms + hold.write_ms).min(together_ms - for_read);
    if for_read + for_write == 0 {
        return;
    }
    (wait.read_ms, wait.write_ms) = (wait.read_ms - for_read, wait.write_ms - for_write);
    *waits += u64::from(!std::mem::replace(&mut wait.is_explained, true));
    *waited_ms = waited_ms.saturating_add(for_read + for_write);
}

fn push(recent: &mut VecDeque<LockUse>, one: LockUse) {
    if recent.len() >= MAX_RECENT {
        recent.pop_front();
    }
    recent.push_back(one);
}
