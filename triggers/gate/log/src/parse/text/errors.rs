//! Error blocks of the text log, and their assignment to commands.

use super::shapes::word;
use crate::parse::open_commands::{OpenCommands, Ticket};
use crate::record::command::{MAX_ERROR_BYTES, MAX_NAME_BYTES};
use crate::record::counts::Counts;
use crate::record::sink::{Event, EventKind, Sink};
use crate::units::local_time::{self, LocalTime};
use crate::units::numbers::natural;

#[derive(Debug, Default)]
pub struct ErrorText {
    line: u64,
    date: Option<[u8; local_time::LENGTH]>,
    pid: Option<u64>,
    operation: Vec<u8>,
    text: Vec<u8>,
}

impl ErrorText {
    pub fn begin(&mut self, line: u64) {
        self.line = line;
        (self.date, self.pid) = (None, None);
        self.operation.clear();
        self.text.clear();
    }

    /// The tab at its start is removed. Each line after the operation is text.
    pub fn line(&mut self, line: &[u8]) {
        if !self.operation.is_empty() {
            return self.add_text(line);
        }
        match word(line) {
            (b"Date", date) => self.date = self.date.or(date.first_chunk().copied()),
            (b"Pid", pid) => self.pid = natural(pid),
            (b"Operation:", name) => {
                self.operation.extend_from_slice(name.get(..MAX_NAME_BYTES).unwrap_or(name));
            }
            (b"Connection", _) => {}
            _ => self.add_text(line),
        }
    }

    fn add_text(&mut self, line: &[u8]) {
        if !self.text.is_empty() && !line.is_empty() {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(line);
        self.text.truncate(MAX_ERROR_BYTES);
    }

    /// To the open command that failed; reported as an event if that is unknown.
    pub fn assign(
        &mut self,
        time: &mut LocalTime,
        open: &mut OpenCommands,
        counts: &mut Counts,
        sink: &mut impl Sink,
    ) {
        let command = self.command(open).and_then(|ticket| open.get(ticket));
        if let Some(slot) = command {
            return slot.command.add_error(&self.text);
        }
        counts.events += 1;
        let time_ns = self.date.and_then(|date| time.read_ns(&date));
        let kind = EventKind::Error { operation: &self.operation, text: &self.text };
        sink.event(&Event { file: open.file, line: self.line, time_ns, pid: self.pid, kind });
    }

    /// None if the process runs another command: not only the command's own process writes errors.
    fn command(&self, open: &mut OpenCommands) -> Option<Ticket> {
        let operation = Some(&*self.operation).filter(|operation| !operation.is_empty())?;
        let own = open.of(self.pid?)?;
        (open.get(own)?.command.request.command() == Some(operation)).then_some(own)
    }
}
