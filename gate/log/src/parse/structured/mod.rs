//! Structured logs: one record a line, comma-separated (`serverlog.file.N`).
//!
//! The fields are those of the P4 Server Administrator Guide ("Structured logging") and of `p4
//! logschema`: a record's type and, from 2019.2 on, the protocol level of its form.

mod record;

pub use record::{is_record, server, time_ns};

use crate::parse::open_commands::{Open, Ticket};
use crate::record::counts::Counts;
use crate::record::request::{Parts, Request};
use crate::record::sink::Sink;
use crate::units::numbers::seconds_ns;
use record::{Start, WITH_GROUP, fields, opens_a_quote, start, words};

/// A record that goes on beyond this is none: a quote is missing.
const MAX_RECORD_BYTES: usize = 16 << 20;
/// More errors of one command are not kept.
const MAX_ERRORS: usize = 64;

/// Reads one server's structured log, line by line.
#[derive(Debug, Default)]
pub struct StructuredLog {
    open: Open,
    record: Vec<u8>,
    /// A quote of the record is open, so it goes on in the next line.
    quoted: bool,
    request: Request,
    now_ns: u64,
    counts: Counts,
    /// How many lines the files before this one have, and the ones in front of the record.
    lines_before: [u64; 2],
}

impl StructuredLog {
    /// Reads the lines of a file from here on; the first file is 0.
    pub fn begin_file(&mut self, file: u32, sink: &mut impl Sink) {
        self.end_record(sink);
        self.open.file = file;
        self.lines_before = [self.counts.lines; 2];
    }

    /// Lines that were read since the counts were asked for, and those not understood.
    #[must_use]
    pub fn lines(&self) -> [u64; 2] {
        [self.counts.lines, self.counts.unknown]
    }

    /// The number in its file of the line that the record starts with.
    fn line_number(&self) -> u64 {
        let [file, record] = self.lines_before;
        record - file + 1
    }

    /// Reads the next line.
    pub fn line(&mut self, line: &[u8], sink: &mut impl Sink) {
        self.counts.lines += 1;
        if !self.record.is_empty() {
            self.record.push(b'\n');
        }
        self.record.extend_from_slice(line);
        self.quoted ^= opens_a_quote(line);
        if !self.quoted || self.record.len() > MAX_RECORD_BYTES {
            self.end_record(sink);
        }
    }

    /// Nothing more comes for a while: complete commands are told.
    pub fn pause(&mut self, sink: &mut impl Sink) {
        self.open.close_ended(sink);
    }

    /// Nothing more comes.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.end_record(sink);
        self.open.close_all(sink);
    }

    /// Counts of the lines read since the last call.
    pub fn counts(&mut self) -> Counts {
        self.counts.add(self.open.told());
        self.lines_before = [0; 2];
        std::mem::take(&mut self.counts)
    }

    fn end_record(&mut self, sink: &mut impl Sink) {
        let record = std::mem::take(&mut self.record);
        self.quoted = false;
        if !record.is_empty() {
            let fields = fields(&record);
            match start(&fields) {
                Some(start) => self.take(&start, sink),
                None => self.counts.unknown(self.open.file, self.line_number(), &record),
            }
        }
        let [_, in_front] = &mut self.lines_before;
        *in_front = self.counts.lines;
        self.record = record;
        self.record.clear();
        self.record.shrink_to(1 << 16);
    }

    fn take(&mut self, start: &Start<'_>, sink: &mut impl Sink) {
        // A connection runs its commands one after the other and numbers them.
        let key = start.pid ^ start.number << 40;
        let known = self.open.of(key);
        match start.kind {
            0 => drop(self.begin(key, start, start.time_ns, sink)),
            1 | 2 => {
                let lapse_ns = start.own.first().and_then(|field| seconds_ns(field));
                let began_ns = start.time_ns.saturating_sub(lapse_ns.unwrap_or(0));
                let ticket = known.or_else(|| self.begin(key, start, began_ns, sink));
                self.step(ticket, start, lapse_ns);
            }
            3..=5 => self.error(known, start),
            11 => self.trigger(known, start),
            _ => self.counts.passed_over += 1,
        }
        if start.time_ns != self.now_ns {
            self.now_ns = start.time_ns;
            self.open.settle(self.now_ns, sink);
        }
    }

    fn begin(
        &mut self,
        key: u64,
        start: &Start<'_>,
        start_ns: u64,
        sink: &mut impl Sink,
    ) -> Option<Ticket> {
        let ticket = self.open.add(key, self.line_number(), sink);
        let command = &mut self.open.get(ticket)?.command;
        command.pid = start.pid;
        command.ident.extend_from_slice(start.ident);
        let args = words(start.args);
        self.request.set(&Parts { args: &args, ..start.parts });
        self.open.begin(ticket, &mut self.request, Some(start_ns), sink);
        Some(ticket)
    }

    /// A compute phase is over, or the command is; then a reason and the time it was held follow.
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
        self.open.ended(ticket, start.time_ns);
    }

    /// An error's text is the last of its fields.
    fn error(&mut self, known: Option<Ticket>, start: &Start<'_>) {
        match known.and_then(|ticket| self.open.get(ticket)).zip(start.own.last()) {
            Some((slot, text)) if slot.command.errors.len() < MAX_ERRORS => {
                slot.command.errors.push(text.clone());
            }
            _ => self.counts.astray += 1,
        }
    }

    /// A trigger's name is the first of its own fields, and its lapse, from 2020.1 on, the last.
    fn trigger(&mut self, known: Option<Ticket>, start: &Start<'_>) {
        match known.and_then(|ticket| self.open.get(ticket)).zip(start.own.first()) {
            Some((slot, name)) => {
                let lapse_ns = start.own.last().and_then(|field| seconds_ns(field));
                let name = name.clone();
                slot.command.triggers.push(crate::record::command::Trigger { name, lapse_ns });
            }
            None => self.counts.astray += 1,
        }
    }
}
