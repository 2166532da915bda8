const MAX_EXAMPLES: usize = 10;
const EXAMPLE_BYTES: usize = 160;

#[derive(Debug, Default)]
pub struct Counts {
    pub lines: u64,
    /// Without those still open.
    pub commands: u64,
    pub without_start: u64,
    /// The log states neither the end nor both start and duration.
    pub without_end: u64,
    pub events: u64,
    /// Text log lines and structured records of kinds that no report uses.
    pub unused_lines: u64,
    /// About a command that could not be identified.
    pub without_command: u64,
    pub unknown_lines: u64,
    pub examples: Vec<Example>,
    /// Longer than 16 MiB, and cut to that length.
    pub long_lines: u64,
    /// Closed early, because too many commands, or too much text of start lines, were open.
    pub evicted_commands: u64,
}

#[derive(Debug)]
pub struct Example {
    /// Counted from 0 in reading order.
    pub file: u32,
    pub line: u64,
    pub text: Vec<u8>,
}

impl Counts {
    pub fn add_unknown(&mut self, file: u32, line: u64, text: &[u8]) {
        self.unknown_lines += 1;
        if self.examples.len() < MAX_EXAMPLES {
            let text = text.get(..EXAMPLE_BYTES).unwrap_or(text).to_vec();
            self.examples.push(Example { file, line, text });
        }
    }

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
