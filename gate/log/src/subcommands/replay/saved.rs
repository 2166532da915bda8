//! Usage of the commands that would have been stopped.

use crate::record::command::Command;

/// Sums over commands; of what the log does not tell, nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Saved {
    /// How many commands.
    pub commands: u64,
    /// How many of them failed anyway.
    pub failed: u64,
    /// Of how many the lapse is known.
    pub with_lapse: u64,
    /// How long they ran.
    pub lapse_ns: u64,
    /// Of how many the processor time is known.
    pub with_usage: u64,
    /// Milliseconds of user and system time.
    pub processor_ms: u64,
    /// Milliseconds for which they held locks, summed over tables.
    pub held_ms: u64,
    /// Milliseconds for which they read without locks.
    pub peeked_ms: u64,
    /// How long their triggers ran; a command that is refused has run the one that refused it.
    pub triggers_ns: u64,
}

impl Saved {
    /// Adds a command that is over.
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
            if let Some([_, _, held, _, _]) = table.peeks {
                add(&mut self.peeked_ms, positive(held));
            }
        }
        let lapses = command.triggers.iter().filter_map(|trigger| trigger.lapse_ns);
        lapses.for_each(|lapse_ns| add(&mut self.triggers_ns, lapse_ns));
    }
}

/// Sums that a made-up log could let run over.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// A time of a lock can be negative.
#[must_use]
pub fn positive(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
