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

/// Held locks, and waits, of each table.
const MAX_RECENT: usize = 256;
/// Tables and other locks, such as those of clients.
const MAX_TABLES: usize = 4_096;
const SECOND_NS: u64 = 1_000_000_000;

#[derive(Debug, Default)]
pub struct Contention {
    tables: HashMap<Vec<u8>, RecentUses>,
    /// Waits of other commands that such commands may have caused.
    pub waits: u64,
    pub waited_ms: u64,
    /// Lock times dropped because the log has too many tables and locks.
    pub omitted_count: u64,
}

#[derive(Debug, Default)]
struct RecentUses {
    holds: VecDeque<LockUse>,
    waits: VecDeque<LockUse>,
}

/// `until_ns` is the command's latest possible end.
#[derive(Debug, Clone, Copy)]
struct LockUse {
    from_ns: u64,
    until_ns: u64,
    /// In `holds` the time held; in `waits` the time waited, less the time already attributed.
    read_ms: u64,
    write_ms: u64,
    is_explained: bool,
}

impl Contention {
    /// With `would_stop` stores the times of held locks, otherwise those of waits. Ignores a
    /// command whose start or end is unknown.
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
            // The log rounds times down to whole seconds; the latest possible end is used.
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

    /// Drops all lock times if a new table would be one too many.
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

/// Attributes as much of the wait as the lock can have caused. A reader waits for writers only, a
/// writer for readers and writers.
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
