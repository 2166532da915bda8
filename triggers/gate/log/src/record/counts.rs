//! Counts of the log lines and commands read, and of the log lines not understood.

/// Maximum number of log lines kept as examples of lines not understood; `EXAMPLE_BYTES` limits the
/// length of each.
const MAX_EXAMPLES: usize = 10;
const EXAMPLE_BYTES: usize = 160;

/// Statistics about the reading of logs: lines, commands, events, and lines not understood.
#[derive(Debug, Default)]
pub struct Counts {
    /// Number of log lines that the log reader has read.
    pub lines: u64,
    /// Number of commands whose data the log reader has passed on; commands still open are not
    /// counted.
    pub commands: u64,
    /// Number of commands whose start time is unknown, because the log begins after their start
    /// line or lines are damaged.
    pub without_start: u64,
    /// Number of commands whose end time is unknown: the log states neither the end nor both start
    /// and duration.
    pub without_end: u64,
    /// Number of logged events that belong to no command, such as a server start.
    pub events: u64,
    /// Number of text log lines and structured records of kinds that no report uses, such as
    /// connections, message windows and transfers.
    pub unused_lines: u64,
    /// Number of text log lines and structured records about a command that could not be
    /// identified.
    pub without_command: u64,
    /// Number of text log lines and structured records that the parser did not understand.
    pub unknown_lines: u64,
    /// The first log lines that the parser did not understand, at most 10 of them.
    pub examples: Vec<Example>,
    /// Number of log lines longer than 16 MiB, which were cut to that length.
    pub long_lines: u64,
    /// Number of commands closed early, because too many commands, or too much text of start lines,
    /// were open at the same time.
    pub evicted_commands: u64,
}

/// An example of a log line that the parser did not understand.
#[derive(Debug)]
pub struct Example {
    /// Number of the log file that contains the example, counted from 0 in reading order.
    pub file: u32,
    /// Line number, in its log file, of the line that the parser did not understand.
    pub line: u64,
    /// The first 160 bytes of a log line that the parser did not understand.
    pub text: Vec<u8>,
}

impl Counts {
    /// Counts a text log line or structured record that was not understood; the first 160 bytes of
    /// the first 10 are kept as examples.
    pub fn add_unknown(&mut self, file: u32, line: u64, text: &[u8]) {
        self.unknown_lines += 1;
        if self.examples.len() < MAX_EXAMPLES {
            let text = text.get(..EXAMPLE_BYTES).unwrap_or(text).to_vec();
            self.examples.push(Example { file, line, text });
        }
    }

    /// Adds the counts that another reader of logs has gathered to these counts.
    pub fn add(&mut self, other: Counts) {
        self.lines += other.lines;
        self.commands += other.commands;
        self.without_start += other.without_start;
        self.without_end += other.without_end;
        self.events += other.events;
        self.unused_lines += other.unused_lines;
        self.without_command += other.without_command;
        self.unknown_lines += other.unknown_lines;
        let room = MAX_EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
        self.long_lines += other.long_lines;
        self.evicted_commands += other.evicted_commands;
    }
}
