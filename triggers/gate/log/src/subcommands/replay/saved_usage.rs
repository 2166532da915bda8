//! Resource usage, as logged, of the commands that a replayed policy or rule would have stopped,
//! that is, refused.

use crate::record::command::Command;

/// Sums of the logged resource usage of stopped commands: those that rules refuse, or would if
/// enforced. A number that the log does not state adds nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct SavedUsage {
    /// Number of commands included in the sums, each of which replayed rules would refuse.
    pub commands: u64,
    /// Number of commands that replayed rules would refuse but that had failed in the log already:
    /// with an error message, on a fatal server error, or because the user was not logged in.
    pub failed_count: u64,
    /// Number of commands that replayed rules would refuse and whose duration the log states.
    pub with_lapse: u64,
    /// Total duration in nanoseconds of the commands that replayed rules would refuse, as far as
    /// the log states it.
    pub lapse_ns: u64,
    /// Number of commands that replayed rules would refuse and whose processor time the log states.
    pub with_usage: u64,
    /// Total user and system processor time in milliseconds of the commands that replayed rules
    /// would refuse, as far as the log states it.
    pub processor_ms: u64,
    /// Total time in milliseconds for which commands that replayed rules would refuse held locks,
    /// summed over the tables and locks that the log reports.
    pub held_ms: u64,
    /// Total time in milliseconds that, according to the log, reads of tables without locks
    /// ("peeks") took in commands that replayed rules would refuse, without the time spent waiting.
    pub peeked_ms: u64,
    /// Total duration in nanoseconds, as far as the log states it, of the triggers that ran for
    /// commands that replayed rules would refuse. A refusal would not save all of this time,
    /// because the trigger that refuses a command has to run as well.
    pub triggers_ns: u64,
}

impl SavedUsage {
    /// Adds to the sums the logged resource usage of a command that has ended and that replayed
    /// rules would refuse.
    pub fn add(&mut self, command: &Command) {
        self.commands += 1;
        let failed = command.is_fatal || command.is_unauthenticated || !command.errors.is_empty();
        self.failed_count += u64::from(failed);
        self.with_lapse += u64::from(command.lapse_ns.is_some());
        add(&mut self.lapse_ns, command.lapse_ns.unwrap_or(0));
        if let Some([user_ms, system_ms, ..]) = command.usage {
            self.with_usage += 1;
            add(&mut self.processor_ms, positive_or_zero(user_ms) + positive_or_zero(system_ms));
        }
        for (_, table) in command.tables.iter() {
            if let Some([_, read_held, _, write_held]) = table.total_ms {
                add(&mut self.held_ms, positive_or_zero(read_held) + positive_or_zero(write_held));
            }
            if let Some([_, _, held_ms, _, _]) = table.peeks {
                add(&mut self.peeked_ms, positive_or_zero(held_ms));
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
pub fn positive_or_zero(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
