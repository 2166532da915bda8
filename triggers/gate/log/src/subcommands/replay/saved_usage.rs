use crate::record::command::Command;

/// Of commands that rules refuse, or would if enforced; unstated numbers add nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct SavedUsage {
    pub commands: u64,
    /// Commands that had failed in the log already.
    pub failed_count: u64,
    /// Commands whose duration the log states.
    pub with_lapse: u64,
    pub lapse_ns: u64,
    /// Commands whose processor time the log states.
    pub with_usage: u64,
    pub processor_ms: u64,
    /// Of table locks; those held at the same time add up.
    pub held_ms: u64,
    /// Of reads without locks ("peeks"), without the time spent waiting.
    pub peeked_ms: u64,
    /// A refusal would not save all of it: the trigger that refuses has to run as well.
    pub triggers_ns: u64,
}

impl SavedUsage {
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

/// Numbers from a forged log could overflow.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

/// Negative numbers occur as lock times.
pub fn positive_or_zero(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
