//! Resource usage, as logged, of the commands that a replayed policy or rule would have stopped,
//! that is, refused.

use crate::record::command::Command;

/// Sums of the logged resource usage of stopped commands: those that rules refuse, or would if
/// enforced. A number that the log does not state adds nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Saved {
    /// Number of stopped commands whose resource usage is included in the sums.
    pub commands: u64,
    /// Number of stopped commands that failed in the log: with an error message, or for lack of a
    /// login.
    pub failed: u64,
    /// Number of stopped commands whose duration the log states.
    pub with_lapse: u64,
    /// Total duration in nanoseconds of the stopped commands whose duration the log states.
    pub lapse_ns: u64,
    /// Number of stopped commands whose processor time the log states.
    pub with_usage: u64,
    /// Total user and system processor time of the stopped commands in milliseconds.
    pub processor_ms: u64,
    /// Total time in milliseconds for which the stopped commands held locks, summed over tables.
    pub held_ms: u64,
    /// Total time in milliseconds for which the stopped commands read tables without locks.
    pub peeked_ms: u64,
    /// Total duration in nanoseconds of the triggers that the stopped commands ran. It would not
    /// all be saved, because a refused command has already run the trigger that refuses it.
    pub triggers_ns: u64,
}

impl Saved {
    /// Adds the resource usage of a stopped command that has ended in the log to the sums.
    pub fn add(&mut self, command: &Command) {
        self.commands += 1;
        let failed = command.fatal || command.unauthenticated || !command.errors.is_empty();
        self.failed += u64::from(failed);
        self.with_lapse += u64::from(command.lapse_ns.is_some());
        add(&mut self.lapse_ns, command.lapse_ns.unwrap_or(0));
        if let Some([user_ms, system_ms, ..]) = command.usage {
            self.with_usage += 1;
            add(&mut self.processor_ms, positive(user_ms) + positive(system_ms));
        }
        for (_, table) in command.tables.iter() {
            if let Some([_, read_held, _, write_held]) = table.total_ms {
                add(&mut self.held_ms, positive(read_held) + positive(write_held));
            }
            if let Some([_, _, held_ms, _, _]) = table.peeks {
                add(&mut self.peeked_ms, positive(held_ms));
            }
        }
        let lapses = command.triggers.iter().filter_map(|trigger| trigger.lapse_ns);
        lapses.for_each(|lapse_ns| add(&mut self.triggers_ns, lapse_ns));
    }
}

/// Adds a number to a sum without overflow, which numbers from a forged log could cause.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// Converts a number from the log to an unsigned one; negative numbers, which occur as lock times,
/// become 0.
#[must_use]
pub fn positive(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
