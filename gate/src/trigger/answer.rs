//! The answer to p4d.
//!
//! p4d takes exit code 0 as "go on" and any other code as "refuse", and shows the printed text to
//! the user. On a server with `triggers.io=1` every answer is a dictionary on standard output and
//! the exit code is always 0 (P4 Server Administrator Guide, triggers).

use std::io::Write;

/// Whether p4d is to go on, and otherwise the text for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Allow the event. Nothing is printed unless the server expects a dictionary, because output
    /// on success corrupts forms and scripts.
    GoOn,
    /// Refuse the event and show this text to the user.
    Refuse(String),
}

impl Answer {
    /// Writes the answer to standard output; returns the exit code.
    #[must_use]
    pub fn deliver(&self, triggers_io: bool) -> u8 {
        let text = match self {
            _ if triggers_io => self.dictionary(),
            Answer::GoOn => return 0,
            Answer::Refuse(text) => text.clone(),
        };
        let mut output = std::io::stdout().lock();
        // If p4d has closed the pipe, the exit code still conveys the answer.
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        u8::from(!triggers_io)
    }

    /// The answer as a dictionary, one pair per line. Published trigger scripts write `%` as `%25`
    /// in a message; the encoding of a line end is undocumented, so the message is reduced to one
    /// line.
    #[must_use]
    pub fn dictionary(&self) -> String {
        let Answer::Refuse(text) = self else { return "action:pass\n".to_owned() };
        let lines: Vec<_> = text.lines().collect();
        format!("action:fail\nmessage:{}\n", lines.join(" / ").replace('%', "%25"))
    }
}
