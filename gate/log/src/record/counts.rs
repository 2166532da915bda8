//! Counts of the lines read of a log, and of the lines not understood.

/// Maximum number of lines that are kept as examples of lines not understood; `EXAMPLE_BYTES`
/// limits each.
const MAX_EXAMPLES: usize = 10;
const EXAMPLE_BYTES: usize = 160;

/// Statistics about the reading of a server's logs, for reports.
#[derive(Debug, Default)]
pub struct Counts {
    /// Number of log lines read.
    pub lines: u64,
    /// Number of commands found in the logs.
    pub commands: u64,
    /// Number of commands without a start line: the log begins after it, or lines are damaged.
    pub without_start: u64,
    /// Number of commands whose end the log does not state.
    pub without_end: u64,
    /// Number of logged events that belong to no command, such as a server start.
    pub events: u64,
    /// Number of log lines that concern no command: connections, windows, transfers.
    pub passed_over: u64,
    /// Number of log lines about a command that cannot be identified.
    pub astray: u64,
    /// Number of log lines that the parser did not understand.
    pub unknown: u64,
    /// The first log lines that the parser did not understand, as examples.
    pub examples: Vec<Example>,
    /// Number of log lines longer than 16 MiB, which were cut.
    pub too_long: u64,
    /// Number of open commands that were treated as finished because too many were open.
    pub evicted: u64,
}

/// An example of a log line that the parser did not understand.
#[derive(Debug)]
pub struct Example {
    /// Number of the log file in reading order, counted from 0.
    pub file: u32,
    /// Line number in the log file.
    pub line: u64,
    /// The start of the log line's text.
    pub text: Vec<u8>,
}

impl Counts {
    /// Counts a line that was not understood, and keeps it as an example while there are few.
    pub fn unknown(&mut self, file: u32, line: u64, text: &[u8]) {
        self.unknown += 1;
        if self.examples.len() < MAX_EXAMPLES {
            let text = text.get(..EXAMPLE_BYTES).unwrap_or(text).to_vec();
            self.examples.push(Example { file, line, text });
        }
    }

    /// Adds the counts of another reader of logs.
    pub fn add(&mut self, other: Counts) {
        self.lines += other.lines;
        self.commands += other.commands;
        self.without_start += other.without_start;
        self.without_end += other.without_end;
        self.events += other.events;
        self.passed_over += other.passed_over;
        self.astray += other.astray;
        self.unknown += other.unknown;
        let room = MAX_EXAMPLES.saturating_sub(self.examples.len());
        self.examples.extend(other.examples.into_iter().take(room));
        self.too_long += other.too_long;
        self.evicted += other.evicted;
    }
}
