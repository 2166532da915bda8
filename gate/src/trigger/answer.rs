//! The answer to p4d.
//!
//! p4d takes exit code 0 for "go on" and anything else for "refuse", and shows the printed text.
//! Where the server is set to `triggers.io=1` every answer is a dictionary on standard output and
//! the exit code is always 0 (P4 Server Administrator Guide, triggers).

use std::io::Write;

/// Whether p4d is to go on, and what the user reads if not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is printed, but to a server that wants dictionaries: output on success corrupts
    /// forms and scripts.
    GoOn,
    /// The text is shown to the user.
    Refuse(String),
}

impl Answer {
    /// Writes the answer; returns the exit code.
    #[must_use]
    pub fn deliver(&self, triggers_io: bool) -> u8 {
        let text = match self {
            _ if triggers_io => self.dictionary(),
            Answer::GoOn => return 0,
            Answer::Refuse(text) => text.clone(),
        };
        let mut output = std::io::stdout().lock();
        // If p4d has gone, the exit code still says it.
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        u8::from(!triggers_io)
    }

    /// The answer as a dictionary: one pair a line, and no answer is none. Published trigger
    /// scripts write `%` as `%25` in a message; how they write a line end is not documented, so
    /// the message is made one line.
    fn dictionary(&self) -> String {
        let Answer::Refuse(text) = self else { return "action:pass\n".to_owned() };
        let lines: Vec<_> = text.lines().collect();
        format!("action:fail\nmessage:{}\n", lines.join(" / ").replace('%', "%25"))
    }
}
