//! What goes back to p4d.
//!
//! p4d takes exit code 0 for "go on" and anything else for "refuse", and shows what was printed.
//! Where the server is set to `triggers.io=1` a refusal is a dictionary on standard output and the
//! exit code is always 0 (P4 Server Administrator Guide, triggers).

use std::io::Write;

/// Whether p4d is to go on, and what the user reads if not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is printed: output on success corrupts forms and scripts.
    GoOn,
    /// The text is shown to the user.
    Refuse(String),
}

impl Answer {
    /// Writes the answer; returns the exit code.
    #[must_use]
    pub fn deliver(&self, triggers_io: bool) -> u8 {
        let Answer::Refuse(text) = self else { return 0 };
        let text = if triggers_io { dictionary(text) } else { text.clone() };
        let mut output = std::io::stdout().lock();
        // If p4d has gone, the exit code still says it.
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        u8::from(!triggers_io)
    }
}

/// A refusal as a dictionary. It has one pair a line, and how a line end within a value is written
/// is not documented; so the message is made one line.
fn dictionary(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    format!("action:fail\nmessage:{}\n", lines.join(" / "))
}
