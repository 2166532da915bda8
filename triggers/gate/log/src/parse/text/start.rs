use super::shapes::{Ending, StampedLine, ending, stamped_line, step, word};
use super::{State, TextLog};
use crate::parse::open_commands::Ticket;
use crate::record::request::{MAX_BYTES, Request};
use crate::record::sink::{Event, EventKind, Sink};
// Start lines are compared with the crate `memchr`, because the comparison in the C library musl
// works byte by byte, which is slow.
use memchr::arch::all::is_equal;
use memchr::memmem;

/// It may begin a command or refer to an open one, because the log repeats it above later blocks
/// about the command.
#[derive(Debug, Default)]
pub(super) struct StartLine {
    pub text: Vec<u8>,
    pub is_open: bool,
    is_cut: bool,
    pid: u64,
    at_ns: Option<u64>,
    pub line: u64,
}

impl StartLine {
    pub fn cut(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.is_cut = true;
            self.text.truncate(self.text.trim_ascii_end().len());
        }
    }

    fn is_of(&self, request: &Request) -> bool {
        is_equal(request.text(), self.text.get(..MAX_BYTES).unwrap_or(&self.text))
    }
}

enum NextStep {
    Wait,
    Trigger(Vec<u8>),
    Died,
}

impl TextLog {
    pub(super) fn stamped_line(&mut self, stamped: &StampedLine<'_>, sink: &mut impl Sink) {
        let Some(at_ns) = self.time.read_ns(stamped.date) else {
            return self.add_unknown(stamped.rest);
        };
        if let Some(fraction_ns) = stamped.fraction_ns {
            let time_ns = at_ns.checked_add(fraction_ns);
            return self.server_event(time_ns, stamped, sink);
        }
        self.end_block(sink);
        if let Some((step, usage)) = step(stamped.rest) {
            return self.step(at_ns, stamped.pid, step, usage, sink);
        }
        let (pid, line) = (stamped.pid, self.line_number());
        self.start.text.clear();
        self.start.text.extend_from_slice(stamped.rest);
        (self.start.pid, self.start.at_ns, self.start.line) = (pid, Some(at_ns), line);
        (self.start.is_open, self.start.is_cut) = (true, false);
        self.state = State::Start;
        self.close_start(stamped.rest.len(), sink);
    }

    /// Arguments may contain line ends. Beyond `MAX_BYTES` only the last line is kept, because it
    /// may complete the start line.
    pub(super) fn more_of_start(&mut self, line: &[u8], sink: &mut impl Sink) {
        if let Some(event) = stamped_line(line).filter(|event| event.fraction_ns.is_some()) {
            return self.stamped_line(&event, sink);
        }
        self.start.text.truncate(MAX_BYTES);
        self.start.text.push(b'\n');
        self.start.text.extend_from_slice(line);
        self.close_start(line.len(), sink);
    }

    /// `new` bytes were added at the end of the start line.
    pub(super) fn close_start(&mut self, new: usize, sink: &mut impl Sink) {
        let old_bytes = self.start.text.len().saturating_sub(new);
        let last = self.start.text.get(old_bytes..).unwrap_or_default();
        let (keep, next_step) = match ending(last) {
            Ending::Open => return,
            Ending::Closed(before) => (before.len(), NextStep::Wait),
            Ending::Trigger(before, name) => (before.len(), NextStep::Trigger(name.to_vec())),
            Ending::Died(before) => (before.len(), NextStep::Died),
        };
        self.start.text.truncate(old_bytes + keep);
        self.start.is_open = false;
        match next_step {
            NextStep::Wait => {}
            NextStep::Trigger(name) => self.trigger(name, sink),
            NextStep::Died => self.process_died(sink),
        }
    }

    pub(super) fn trigger(&mut self, name: Vec<u8>, sink: &mut impl Sink) {
        self.state = State::Outside;
        let Some(ticket) = self.attach(sink) else {
            return;
        };
        if let Some(slot) = self.open_commands.get(ticket) {
            self.part.begin(&slot.command);
            slot.command.add_trigger(&name, None);
            self.state = State::Body(ticket);
        }
    }

    pub(super) fn process_died(&mut self, sink: &mut impl Sink) {
        self.state = State::Outside;
        let ticket = self.open_commands.of(self.start.pid);
        let Some((ticket, slot)) =
            ticket.and_then(|ticket| Some((ticket, self.open_commands.get(ticket)?)))
        else {
            return self.unknown_process_died(sink);
        };
        // The process may have run another command since, or be another one with the same number.
        if slot.command.end_ns().is_some() && !self.start.is_of(&slot.command.request) {
            return self.unknown_process_died(sink);
        }
        (slot.command.has_died, slot.command.is_running) = (true, Some(false));
        self.open_commands.close(ticket, sink);
    }

    /// As an error event.
    fn unknown_process_died(&mut self, sink: &mut impl Sink) {
        self.counts.events += 1;
        let begin = memmem::find(&self.start.text, b"] '").map_or(0, |position| position + 3);
        let (operation, _) = word(self.start.text.get(begin..).unwrap_or_default());
        let text = b"exited unexpectedly, removed from monitor table.";
        let (line, time_ns, pid) = (self.start.line, self.start.at_ns, Some(self.start.pid));
        let kind = EventKind::Error { operation, text };
        sink.event(&Event { file: self.open_commands.file, line, time_ns, pid, kind });
    }

    /// Finds the open command to which the start line above a later block refers, or begins one;
    /// None if the start line is not understood.
    pub(super) fn attach(&mut self, sink: &mut impl Sink) -> Option<Ticket> {
        let start = &mut self.start;
        let Some(ticket) = self.open_commands.of(start.pid) else {
            return self.begin(false, sink);
        };
        let slot = self.open_commands.get(ticket)?;
        let command = &mut slot.command;
        if command.request.text().is_empty() {
            // The log first reported the end of the command or of its compute phase.
            if self.request.read(&mut start.text, start.is_cut) {
                self.open_commands.begin(ticket, &mut self.request, start.at_ns, sink);
            }
            return Some(ticket);
        }
        // Background work of the server repeats its start line in every round with another time, so
        // the times of both start lines must agree. They may differ only for a command that began
        // with a start line alone and has not completed.
        let same_round = slot.is_bare && command.completed_ns.is_none();
        let same_time = command.start_ns == start.at_ns;
        if start.is_of(&command.request) && (same_time || same_round) {
            return Some(ticket);
        }
        self.begin(false, sink)
    }

    /// None if the line is not understood.
    pub(super) fn begin(&mut self, bare: bool, sink: &mut impl Sink) -> Option<Ticket> {
        self.start.cut();
        let start = &mut self.start;
        if !self.request.read(&mut start.text, start.is_cut) {
            let line = start.line;
            self.counts.add_unknown(self.open_commands.file, line, &start.text);
            return None;
        }
        let (pid, at_ns) = (start.pid, start.at_ns);
        let ticket = self.open_commands.add(pid, start.line, sink);
        self.open_commands.begin(ticket, &mut self.request, at_ns, sink);
        self.open_commands.get(ticket)?.is_bare = bare;
        if let Some(at_ns) = at_ns.filter(|_| bare) {
            self.clock(at_ns, sink);
        }
        Some(ticket)
    }

    pub(super) fn clock(&mut self, at_ns: u64, sink: &mut impl Sink) {
        if at_ns != self.now_ns {
            self.now_ns = at_ns;
            self.open_commands.settle(at_ns, sink);
        }
    }
}
