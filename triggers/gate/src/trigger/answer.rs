//! The reply of a trigger process to p4d: allow or refuse the event.
//!
//! p4d takes exit code 0 as "allow" and any other code as "refuse", and shows the printed text to
//! the user. On a server with `triggers.io=1` every reply is a dictionary on standard output and
//! the exit code is always 0 (P4 Server Administrator Guide, triggers).

use std::io::Write;

/// The reply of a trigger to p4d: whether the event is allowed, and otherwise the text for the
/// user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Answer {
    /// Reply that allows the event. Nothing is printed unless the server expects a dictionary,
    /// because output on success corrupts forms and scripts.
    GoOn,
    /// Reply that refuses the event, with the text that p4d shows to the user.
    Refuse(String),
}

impl Answer {
    /// The text to print (nothing for an allowed event, unless the server expects a dictionary), and
    /// the exit code with which the process must end.
    pub fn output(&self, triggers_io: bool) -> (String, u8) {
        match self {
            _ if triggers_io => (self.dictionary(), 0),
            Answer::GoOn => (String::new(), 0),
            Answer::Refuse(text) => (text.clone(), 1),
        }
    }

    /// Prints the reply; returns the exit code.
    pub fn deliver(&self, triggers_io: bool) -> u8 {
        let (text, code) = self.output(triggers_io);
        if !text.is_empty() {
            let mut output = std::io::stdout().lock();
            // A failed write is ignored: without `triggers.io=1` the exit code still tells p4d the
            // verdict.
            let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        }
        code
    }

    /// The trigger's reply as a dictionary for a server with `triggers.io=1`, one pair per line.
    /// Published trigger scripts write `%` as `%25` in a message; the encoding of a line end is
    /// undocumented, so the message is reduced to one line.
    pub fn dictionary(&self) -> String {
        let Answer::Refuse(text) = self else { return "action:pass\n".to_owned() };
        let lines: Vec<_> = text.lines().collect();
        format!("action:fail\nmessage:{}\n", lines.join(" / ").replace('%', "%25"))
    }
}
