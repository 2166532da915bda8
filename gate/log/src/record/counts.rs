//! Counts of the lines read of a log, and of the lines not understood.

/// So many lines not understood are kept as examples, and so much of each.
const MAX_EXAMPLES: usize = 10;
const EXAMPLE_BYTES: usize = 160;

/// How much was read.
#[derive(Debug, Default)]
pub struct Counts {
    /// Lines, all of them.
    pub lines: u64,
    /// Commands.
    pub commands: u64,
    /// Commands whose start was not seen: the log begins after it, or the lines are damaged.
    pub without_start: u64,
    /// Commands whose end was not seen.
    pub without_end: u64,
    /// Events that are no command's own.
    pub events: u64,
    /// Lines that say nothing about a command: connections, windows, transfers.
    pub passed_over: u64,
    /// Lines that tell of a command, but not of which.
    pub astray: u64,
    /// Lines that were not understood.
    pub unknown: u64,
    /// Some of them.
    pub examples: Vec<Example>,
    /// Lines longer than 16 MiB.
    pub too_long: u64,
    /// Open commands that were taken for over, because there were too many.
    pub evicted: u64,
}

/// A line that was not understood.
#[derive(Debug)]
pub struct Example {
    /// The file of the log, counted from 0.
    pub file: u32,
    /// The line of that file.
    pub line: u64,
    /// How it starts.
    pub text: Vec<u8>,
}

impl Counts {
    /// Counts a line that was not understood.
    pub fn unknown(&mut self, file: u32, line: u64, text: &[u8]) {
        self.unknown += 1;
        if self.examples.len() < MAX_EXAMPLES {
            let text = text.get(..EXAMPLE_BYTES).unwrap_or(text).to_vec();
            self.examples.push(Example { file, line, text });
        }
    }

    /// Adds counts from elsewhere.
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
