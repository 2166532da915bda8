//! Structured logs (`serverlog.file.N`): comma-separated records, described in the P4 Server
//! Administrator Guide ("Structured logging") and by `p4 logschema`. A record begins with its type
//! and, from 2019.2 on, the protocol level of its format.

mod assembly;
mod record;
mod track;

pub use assembly::Assembly;
pub use record::{is_record, server, time_ns};

use crate::parse::open_commands::{OpenCommands, Ticket};
use crate::record::command::{Command, MAX_ERROR_BYTES, MAX_ERRORS, MAX_NAME_BYTES};
use crate::record::counts::Counts;
use crate::record::request::{Parts, Request};
use crate::record::sink::{Event, EventKind, Sink};
use crate::units::numbers::seconds_ns;
use record::{Start, WITH_GROUP, fields, start, words};

#[derive(Debug, Default)]
pub struct StructuredLog {
    open_commands: OpenCommands,
    request: Request,
    now_ns: u64,
    line: u64,
    counts: Counts,
}

impl StructuredLog {
    /// Lines read since the last call of `counts`, and records (not lines) not understood.
    pub fn lines(&self) -> [u64; 2] {
        [self.counts.lines, self.counts.unknown_lines]
    }

    pub fn line(&mut self, file: u32, records: &mut Assembly, line: &[u8], sink: &mut impl Sink) {
        self.counts.lines += 1;
        if records.take(line) {
            self.record(file, records, sink);
        }
    }

    /// Parses an incomplete last record of a structured log file; called at the end of the file.
    pub fn end(&mut self, file: u32, records: &mut Assembly, sink: &mut impl Sink) {
        if records.end() {
            self.record(file, records, sink);
        }
    }

    /// For lines that were assembled to records outside this parser.
    pub fn count_lines(&mut self, lines: u64) {
        self.counts.lines += lines;
    }

    /// Called when the growing log has had no new data for a while.
    pub fn pause(&mut self, sink: &mut impl Sink) {
        self.open_commands.close_ended(sink);
    }

    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.open_commands.close_all(sink);
    }

    /// Counts since the previous call.
    pub fn counts(&mut self) -> Counts {
        self.counts.add(self.open_commands.take_counts());
        std::mem::take(&mut self.counts)
    }

    pub fn record(&mut self, file: u32, records: &Assembly, sink: &mut impl Sink) {
        let (record, line) = records.record();
        (self.open_commands.file, self.line) = (file, line);
        let fields = fields(record);
        let is_understood = start(&fields).is_some_and(|start| self.take(&start, sink));
        if !is_understood {
            self.counts.add_unknown(file, line, record);
        }
    }

    /// False if the fields are not understood.
    fn take(&mut self, start: &Start<'_>, sink: &mut impl Sink) -> bool {
        // The commands of a connection run in one process and are numbered, so both numbers
        // together identify a command.
        let key = start.pid ^ start.number << 40;
        let open_ticket = self.open_commands.of(key);
        let mut is_understood = true;
        match start.kind {
            0 => drop(self.begin(key, start, Some(start.time_ns), sink)),
            1 | 2 => {
                let lapse_ns = start.own_fields.first().and_then(|field| seconds_ns(field));
                let began_ns = start.time_ns.saturating_sub(lapse_ns.unwrap_or(0));
                let ticket = open_ticket.or_else(|| self.begin(key, start, Some(began_ns), sink));
                self.step(ticket, start, lapse_ns);
            }
            3..=5 => self.error(open_ticket, start, sink),
            track::USAGE
            | track::RPC
            | track::TABLE
            | track::ESTIMATES
            | track::LOCK
            | track::ARCHIVE => {
                is_understood = self.track(key, open_ticket, start, sink);
            }
            11 => self.trigger(open_ticket, start),
            12 => self.server_event(start, sink),
            _ => self.counts.unused_lines += 1,
        }
        if start.time_ns != self.now_ns {
            self.now_ns = start.time_ns;
            self.open_commands.settle(self.now_ns, sink);
        }
        is_understood
    }

    fn begin(
        &mut self,
        key: u64,
        start: &Start<'_>,
        start_ns: Option<u64>,
        sink: &mut impl Sink,
    ) -> Option<Ticket> {
        let ticket = self.open_commands.add(key, self.line, sink);
        let command = &mut self.open_commands.get(ticket)?.command;
        command.pid = start.pid;
        command.ident.extend_from_slice(start.ident.get(..MAX_NAME_BYTES).unwrap_or(start.ident));
        let args = words(start.args);
        self.request.set(&Parts { args: &args, ..start.parts });
        self.open_commands.begin(ticket, &mut self.request, start_ns, sink);
        Some(ticket)
    }

    /// The server writes these records when the command is over. Without an open command, the end
    /// is the record's time, and the start follows from the duration, if stated.
    fn track(
        &mut self,
        key: u64,
        open_ticket: Option<Ticket>,
        start: &Start<'_>,
        sink: &mut impl Sink,
    ) -> bool {
        let mut usage = Command::default();
        if !track::track(start.kind, start.own_fields, &mut usage) {
            return false;
        }
        let ticket = open_ticket.or_else(|| {
            let start_ns = usage.lapse_ns.map(|lapse_ns| start.time_ns.saturating_sub(lapse_ns));
            let ticket = self.begin(key, start, start_ns, sink)?;
            self.open_commands.get(ticket)?.command.completed_ns = Some(start.time_ns);
            self.open_commands.end(ticket, start.time_ns);
            Some(ticket)
        });
        let slot = ticket.and_then(|ticket| self.open_commands.get(ticket));
        slot.is_none_or(|slot| track::track(start.kind, start.own_fields, &mut slot.command))
    }

    /// A start of the server closes all open commands: none of them is still running.
    fn server_event(&mut self, start: &Start<'_>, sink: &mut impl Sink) {
        let is_server_start = start.own_fields.iter().any(|field| {
            let field = field.to_ascii_lowercase();
            field.starts_with(b"start") || field.ends_with(b" starting")
        });
        if !is_server_start {
            self.counts.unused_lines += 1;
            return;
        }
        self.open_commands.close_all(sink);
        self.counts.events += 1;
        sink.event(&Event {
            file: self.open_commands.file,
            line: self.line,
            time_ns: Some(start.time_ns),
            pid: Some(start.pid),
            kind: EventKind::Started,
        });
    }

    /// In the record of an end, a reason, kept as an error message (beyond 64 in place of the last
    /// one), and the time for which the server paused the command may follow the duration.
    fn step(&mut self, ticket: Option<Ticket>, start: &Start<'_>, lapse_ns: Option<u64>) {
        let Some((ticket, slot)) = ticket.and_then(|t| Some((t, self.open_commands.get(t)?)))
        else {
            return;
        };
        let command = &mut slot.command;
        if start.kind == 1 {
            command.compute_count = command.compute_count.saturating_add(1);
            command.compute_ns = command.compute_ns.max(lapse_ns);
            return;
        }
        (command.completed_ns, command.lapse_ns) = (Some(start.time_ns), lapse_ns);
        if let [_, reason, ..] = start.own_fields
            && !reason.is_empty()
        {
            command.errors.truncate(MAX_ERRORS - 1);
            command.add_error(reason);
        }
        if start.level >= WITH_GROUP {
            command.paused_ns = start.own_fields.get(4).and_then(|field| seconds_ns(field));
        }
        self.open_commands.end(ticket, start.time_ns);
    }

    /// The text is the last field; without an open command it is reported as an event.
    fn error(&mut self, open_ticket: Option<Ticket>, start: &Start<'_>, sink: &mut impl Sink) {
        let text = start.own_fields.last().map(Vec::as_slice).unwrap_or_default();
        let text = text.get(..MAX_ERROR_BYTES).unwrap_or(text);
        if let Some(slot) = open_ticket.and_then(|ticket| self.open_commands.get(ticket)) {
            return slot.command.add_error(text);
        }
        self.counts.events += 1;
        sink.event(&Event {
            file: self.open_commands.file,
            line: self.line,
            time_ns: Some(start.time_ns),
            pid: Some(start.pid),
            kind: EventKind::Error { operation: start.parts.command, text },
        });
    }

    /// The first field is the trigger's name and, from 2020.1 on, the last field is the duration.
    fn trigger(&mut self, open_ticket: Option<Ticket>, start: &Start<'_>) {
        match open_ticket
            .and_then(|ticket| self.open_commands.get(ticket))
            .zip(start.own_fields.first())
        {
            Some((slot, name)) => {
                let lapse_ns = start.own_fields.last().and_then(|field| seconds_ns(field));
                slot.command.add_trigger(name, lapse_ns);
            }
            None => self.counts.without_command += 1,
        }
    }
}
