//! Blocks that tell of errors, and whose errors they are.

use super::shapes::word;
use crate::parse::open_commands::{Open, Ticket};
use crate::record::counts::Counts;
use crate::record::sink::{Event, Sink, What};
use crate::units::local_time::LocalTime;
use crate::units::numbers::natural;

/// More of one error, and more errors of one command, are not kept.
const MAX_TEXT_BYTES: usize = 4 << 10;
const MAX_ERRORS: usize = 64;

/// An error, as far as it was read.
#[derive(Debug, Default)]
pub struct ErrorText {
    line: u64,
    date: Vec<u8>,
    pid: Option<u64>,
    operation: Vec<u8>,
    text: Vec<u8>,
}

impl ErrorText {
    /// Starts an error.
    pub fn begin(&mut self, line: u64) {
        self.line = line;
        self.pid = None;
        for text in [&mut self.date, &mut self.operation, &mut self.text] {
            text.clear();
        }
    }

    /// Reads a line, without its tabulator: the date, the process, the operation, then the text.
    pub fn line(&mut self, line: &[u8]) {
        if !self.operation.is_empty() {
            let room = MAX_TEXT_BYTES.saturating_sub(self.text.len());
            let line = line.get(..room).unwrap_or(line);
            if !self.text.is_empty() && !line.is_empty() {
                self.text.push(b'\n');
            }
            return self.text.extend_from_slice(line);
        }
        match word(line) {
            (b"Date", date) => self.date.extend_from_slice(date),
            (b"Pid", pid) => self.pid = natural(pid),
            (b"Operation:", operation) => self.operation.extend_from_slice(operation),
            (b"Connection", _) => {}
            _ => self.text.extend_from_slice(line.get(..MAX_TEXT_BYTES).unwrap_or(line)),
        }
    }

    /// Gives the error to its command; to no one if it is not certain whose it is.
    pub fn tell(
        &mut self,
        time: &mut LocalTime,
        open: &mut Open,
        counts: &mut Counts,
        sink: &mut impl Sink,
    ) {
        let command = self.command(open).and_then(|ticket| open.get(ticket));
        if let Some(slot) = command {
            if slot.command.errors.len() < MAX_ERRORS {
                slot.command.errors.push(self.text.clone());
            }
            return;
        }
        counts.events += 1;
        let time_ns = self.date.first_chunk().and_then(|date| time.read_ns(date));
        let what = What::Error { operation: &self.operation, text: &self.text };
        sink.event(&Event { file: open.file, line: self.line, time_ns, pid: self.pid, what });
    }

    /// The command of the process, if it does what failed. A process that writes an error is not
    /// always the one that wrote the command, and then it is not known whose the error is.
    fn command(&self, open: &mut Open) -> Option<Ticket> {
        let operation = Some(&*self.operation).filter(|operation| !operation.is_empty())?;
        let own = open.of(self.pid?)?;
        (open.get(own)?.command.request.command() == Some(operation)).then_some(own)
    }
}
