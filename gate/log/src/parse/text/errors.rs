//! Parsing of error blocks, and their assignment to commands.

use super::shapes::word;
use crate::parse::open_commands::{Open, Ticket};
use crate::record::counts::Counts;
use crate::record::sink::{Event, Sink, What};
use crate::units::local_time::LocalTime;
use crate::units::numbers::natural;

/// Maximum number of bytes kept of one error; `MAX_ERRORS` limits the errors of one command.
const MAX_TEXT_BYTES: usize = 4 << 10;
const MAX_ERRORS: usize = 64;

/// An error block of the log, as far as it has been read.
#[derive(Debug, Default)]
pub struct ErrorText {
    line: u64,
    date: Vec<u8>,
    pid: Option<u64>,
    operation: Vec<u8>,
    text: Vec<u8>,
}

impl ErrorText {
    /// Starts an error block, whose header is at a given line number.
    pub fn begin(&mut self, line: u64) {
        self.line = line;
        self.pid = None;
        for text in [&mut self.date, &mut self.operation, &mut self.text] {
            text.clear();
        }
    }

    /// Reads a line of the block without its tab: the date, the process and the operation first,
    /// then the text.
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

    /// Assigns the error to its command, or to none if the command is uncertain.
    pub fn assign(
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

    /// The open command of the error's process, if it runs the operation that failed. The process
    /// that writes an error is not always the one that runs the command; then the command is
    /// unknown.
    fn command(&self, open: &mut Open) -> Option<Ticket> {
        let operation = Some(&*self.operation).filter(|operation| !operation.is_empty())?;
        let own = open.of(self.pid?)?;
        (open.get(own)?.command.request.command() == Some(operation)).then_some(own)
    }
}
