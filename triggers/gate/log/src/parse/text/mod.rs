//! Text log of a server, proxy or broker (`P4LOG`). The vendor states that its format "is not
//! documented, and subject to change", so lines that are not understood are skipped and counted.

mod errors;
mod shapes;
mod start;
mod steps;
mod track;
mod uses;

pub use shapes::{Header, header, stamped_line};

use crate::parse::open_commands::{OpenCommands, Ticket};
use crate::record::counts::Counts;
use crate::record::request::Request;
use crate::record::sink::Sink;
use crate::units::local_time::LocalTime;
use errors::ErrorText;
use shapes::{is_passed_over, server_start};
use start::StartLine;
use track::{TrackedPart, is_about_rows};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Full,
    /// Skips messages, memory and file totals and, of tables, all but total lock times. For
    /// commands that the sink has marked, processor usage and reads without a lock are parsed as
    /// well.
    Locks,
}

#[derive(Debug)]
pub struct TextLog {
    time: LocalTime,
    detail: Detail,
    open_commands: OpenCommands,
    state: State,
    part: TrackedPart,
    start: StartLine,
    error: ErrorText,
    /// Open `p4 sync` commands that have ended a compute phase and await an estimate.
    waiting_commands: Vec<Ticket>,
    now_ns: u64,
    request: Request,
    counts: Counts,
    /// Number of lines in the log files before the current one, since the last call of `counts`.
    lines_before: u64,
}

/// The part of a log block to which the last line belonged.
#[derive(Debug)]
enum State {
    Outside,
    Head,
    Start,
    Body(Ticket),
    Error,
}

impl TextLog {
    pub fn new(zone: tz::TimeZone, detail: Detail) -> Self {
        TextLog {
            time: LocalTime::new(zone),
            detail,
            open_commands: OpenCommands::default(),
            state: State::Outside,
            part: TrackedPart::default(),
            start: StartLine::default(),
            error: ErrorText::default(),
            waiting_commands: Vec::new(),
            now_ns: 0,
            request: Request::default(),
            counts: Counts::default(),
            lines_before: 0,
        }
    }

    pub fn begin_file(&mut self, file: u32) {
        self.open_commands.file = file;
        self.lines_before = self.counts.lines;
    }

    /// Lines read since the last call of `counts`, and those not understood.
    pub fn lines(&self) -> [u64; 2] {
        [self.counts.lines, self.counts.unknown_lines]
    }

    fn add_unknown(&mut self, line: &[u8]) {
        self.counts.add_unknown(self.open_commands.file, self.line_number(), line);
    }

    /// Number of the current line in the text log file, counted from 1.
    fn line_number(&self) -> u64 {
        self.counts.lines - self.lines_before
    }

    #[inline]
    pub fn line(&mut self, line: &[u8], sink: &mut impl Sink) {
        self.counts.lines += 1;
        if self.detail == Detail::Locks && is_about_rows(line) {
            return;
        }
        self.parse_line(line, sink);
    }

    /// With `Detail::Locks` most lines, page or row counts of tables, do not come here.
    #[inline(never)]
    fn parse_line(&mut self, line: &[u8], sink: &mut impl Sink) {
        if let [b'-', b'-', b'-', rest @ ..] = line {
            return self.track(line, rest, sink);
        }
        if let Some((header, before)) = header(line) {
            return self.header(header, before, sink);
        }
        let indented = line.strip_prefix(b"\t");
        match self.state {
            State::Start if self.start.is_open => self.more_of_start(line, sink),
            State::Error if indented.is_some() => self.error.line(indented.unwrap_or_default()),
            _ => match stamped_line(indented.unwrap_or(line)) {
                Some(stamped) => self.stamped_line(&stamped, sink),
                None => self.other(line.trim_ascii_start(), line, sink),
            },
        }
    }

    /// Called when the growing log has had no new data; an incomplete start line stays.
    pub fn pause(&mut self, sink: &mut impl Sink) {
        if !self.start.is_open {
            self.end_block(sink);
        }
        self.open_commands.close_ended(sink);
    }

    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.end_block(sink);
        self.open_commands.close_all(sink);
    }

    /// Counts since the previous call.
    pub fn counts(&mut self) -> Counts {
        self.counts.add(self.open_commands.take_counts());
        self.lines_before = 0;
        std::mem::take(&mut self.counts)
    }

    fn header(&mut self, header: Header, before: &[u8], sink: &mut impl Sink) {
        if !before.is_empty() {
            // The text before the header is parsed like a line, but was already counted.
            self.counts.lines -= 1;
            self.line(before, sink);
        }
        self.end_block(sink);
        self.state = match header {
            Header::Info => State::Head,
            Header::Error => {
                self.error.begin(self.line_number());
                State::Error
            }
        };
    }

    /// A block of only a start line begins a command.
    fn end_block(&mut self, sink: &mut impl Sink) {
        match std::mem::replace(&mut self.state, State::Outside) {
            State::Start => {
                self.begin(true, sink);
            }
            State::Error => {
                self.error.assign(&mut self.time, &mut self.open_commands, &mut self.counts, sink)
            }
            State::Outside | State::Head | State::Body(_) => {}
        }
    }

    /// Lines without a time and process, such as a trigger's duration or an estimate.
    fn other(&mut self, line: &[u8], whole_line: &[u8], sink: &mut impl Sink) {
        if line.is_empty() {
            return self.end_block(sink);
        }
        if let Some(lapse) = line.strip_prefix(b"lapse ")
            && self.trigger_lapse(lapse)
        {
            return;
        }
        if line.starts_with(b"locks acquired by blocking after ")
            && let State::Start = self.state
        {
            self.start_body(sink);
        } else if let Some(estimates) = line.strip_prefix(b"Server network estimates: ") {
            return self.estimates(estimates, whole_line);
        }
        if let Some(rest) = server_start(line) {
            self.server_start(rest, sink);
        } else if is_passed_over(line) {
            self.counts.unused_lines += 1;
        } else {
            self.add_unknown(whole_line);
        }
    }
}
