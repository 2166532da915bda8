//! Parser for structured logs: one comma-separated record per line (`serverlog.file.N`).
//!
//! The fields are documented in the P4 Server Administrator Guide ("Structured logging") and by `p4
//! logschema`. A record begins with its type and, from 2019.2 on, the protocol level of its format.

mod assembly;
mod record;
mod track;

pub use assembly::Assembly;
pub use record::{is_record, server, time_ns};

use crate::parse::open_commands::{Open, Ticket};
use crate::record::command::Command;
use crate::record::counts::Counts;
use crate::record::request::{Parts, Request};
use crate::record::sink::{Event, Sink, What};
use crate::units::numbers::seconds_ns;
use record::{Start, WITH_GROUP, fields, start, words};

/// Maximum number of error messages kept per command.
const MAX_ERRORS: usize = 64;

/// Parser for one server's structured logs, record by record.
#[derive(Debug, Default)]
pub struct StructuredLog {
    open: Open,
    request: Request,
    now_ns: u64,
    line: u64,
    counts: Counts,
}

impl StructuredLog {
    /// Number of lines read since the counts were last taken, and number of those not understood.
    #[must_use]
    pub fn lines(&self) -> [u64; 2] {
        [self.counts.lines, self.counts.unknown]
    }

    /// Parses the next line of a structured log file, which may complete a record.
    pub fn line(&mut self, file: u32, records: &mut Assembly, line: &[u8], sink: &mut impl Sink) {
        self.counts.lines += 1;
        if records.take(line) {
            self.record(file, records, sink);
        }
    }

    /// Processes the last record of a structured log file, if it is incomplete; called at the end.
    pub fn end(&mut self, file: u32, records: &mut Assembly, sink: &mut impl Sink) {
        if records.end() {
            self.record(file, records, sink);
        }
    }

    /// Adds to the number of lines read; for lines that were assembled to records outside this
    /// parser.
    pub fn count_lines(&mut self, lines: u64) {
        self.counts.lines += lines;
    }

    /// Called when no data came for a while: passes on the commands that are complete.
    pub fn pause(&mut self, sink: &mut impl Sink) {
        self.open.close_ended(sink);
    }

    /// Called at the end of the logs: passes on all open commands.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.open.close_all(sink);
    }

    /// Counts of the lines read since the previous call.
    pub fn counts(&mut self) -> Counts {
        self.counts.add(self.open.take_counts());
        std::mem::take(&mut self.counts)
    }

    /// Parses a complete record; `file` is the number of its log.
    pub fn record(&mut self, file: u32, records: &Assembly, sink: &mut impl Sink) {
        let (record, line) = records.record();
        (self.open.file, self.line) = (file, line);
        let fields = fields(record);
        let is_understood = start(&fields).is_some_and(|start| self.take(&start, sink));
        if !is_understood {
            self.counts.unknown(file, line, record);
        }
    }

    /// Parses the fields of a record; false if they are not understood.
    fn take(&mut self, start: &Start<'_>, sink: &mut impl Sink) -> bool {
        // A connection runs its commands one after another and numbers them.
        let key = start.pid ^ start.number << 40;
        let open_ticket = self.open.of(key);
        let mut is_understood = true;
        match start.kind {
            0 => drop(self.begin(key, start, Some(start.time_ns), sink)),
            1 | 2 => {
                let lapse_ns = start.own.first().and_then(|field| seconds_ns(field));
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
            _ => self.counts.passed_over += 1,
        }
        if start.time_ns != self.now_ns {
            self.now_ns = start.time_ns;
            self.open.settle(self.now_ns, sink);
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
        let ticket = self.open.add(key, self.line, sink);
        let command = &mut self.open.get(ticket)?.command;
        command.pid = start.pid;
        command.ident.extend_from_slice(start.ident);
        let args = words(start.args);
        self.request.set(&Parts { args: &args, ..start.parts });
        self.open.begin(ticket, &mut self.request, start_ns, sink);
        Some(ticket)
    }

    /// Handles a record of a command's usage, which is written when the command is over. If no log
    /// contains the command's own records, usage records alone determine its end and, by the lapse,
    /// its start.
    fn track(
        &mut self,
        key: u64,
        open_ticket: Option<Ticket>,
        start: &Start<'_>,
        sink: &mut impl Sink,
    ) -> bool {
        let mut used = Command::default();
        if !track::track(start.kind, start.own, &mut used) {
            return false;
        }
        let ticket = open_ticket.or_else(|| {
            let start_ns = used.lapse_ns.map(|lapse_ns| start.time_ns.saturating_sub(lapse_ns));
            let ticket = self.begin(key, start, start_ns, sink)?;
            self.open.get(ticket)?.command.completed_ns = Some(start.time_ns);
            self.open.end(ticket, start.time_ns);
            Some(ticket)
        });
        let slot = ticket.and_then(|ticket| self.open.get(ticket));
        slot.is_none_or(|slot| track::track(start.kind, start.own, &mut slot.command))
    }

    /// Handles the start of the server: no earlier command is still running.
    fn server_event(&mut self, start: &Start<'_>, sink: &mut impl Sink) {
        let says_end = start.own.iter().any(|field| {
            let field = field.to_ascii_lowercase();
            field.starts_with(b"start") || field.ends_with(b" starting")
        });
        if !says_end {
            self.counts.passed_over += 1;
            return;
        }
        self.open.close_all(sink);
        self.counts.events += 1;
        sink.event(&Event {
            file: self.open.file,
            line: self.line,
            time_ns: Some(start.time_ns),
            pid: Some(start.pid),
            what: What::Started,
        });
    }

    /// Handles the end of a compute phase or of the command; a reason and the pause time may
    /// follow.
    fn step(&mut self, ticket: Option<Ticket>, start: &Start<'_>, lapse_ns: Option<u64>) {
        let Some((ticket, slot)) = ticket.and_then(|t| Some((t, self.open.get(t)?))) else {
            return;
        };
        let command = &mut slot.command;
        if start.kind == 1 {
            command.computes = command.computes.saturating_add(1);
            command.compute_ns = command.compute_ns.max(lapse_ns);
            return;
        }
        (command.completed_ns, command.lapse_ns) = (Some(start.time_ns), lapse_ns);
        if let [_, reason, ..] = start.own
            && !reason.is_empty()
        {
            command.errors.push(reason.clone());
        }
        if start.level >= WITH_GROUP {
            command.paused_ns = start.own.get(4).and_then(|field| seconds_ns(field));
        }
        self.open.end(ticket, start.time_ns);
    }

    /// Handles an error, whose text is the last field.
    fn error(&mut self, open_ticket: Option<Ticket>, start: &Start<'_>, sink: &mut impl Sink) {
        let text = start.own.last().map(Vec::as_slice).unwrap_or_default();
        if let Some(slot) = open_ticket.and_then(|ticket| self.open.get(ticket)) {
            if slot.command.errors.len() < MAX_ERRORS {
                slot.command.errors.push(text.to_vec());
            }
            return;
        }
        self.counts.events += 1;
        sink.event(&Event {
            file: self.open.file,
            line: self.line,
            time_ns: Some(start.time_ns),
            pid: Some(start.pid),
            what: What::Error { operation: start.parts.command, text },
        });
    }

    /// Handles a trigger run; the first field is the trigger's name and, from 2020.1 on, the last
    /// its lapse.
    fn trigger(&mut self, open_ticket: Option<Ticket>, start: &Start<'_>) {
        match open_ticket.and_then(|ticket| self.open.get(ticket)).zip(start.own.first()) {
            Some((slot, name)) => {
                let lapse_ns = start.own.last().and_then(|field| seconds_ns(field));
                let name = name.clone();
                slot.command.triggers.push(crate::record::command::Trigger { name, lapse_ns });
            }
            None => self.counts.astray += 1,
        }
    }
}
