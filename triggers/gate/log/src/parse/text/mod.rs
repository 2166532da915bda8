//! Parser for the text log of a server, proxy or broker (`P4LOG`).
//!
//! The vendor states that the format of this log "is not documented, and subject to change", so
//! lines that are not understood are skipped and counted.

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
use track::{Place, is_about_rows};

/// Level of detail at which a text log is parsed; less detail takes less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Level of detail at which everything that this parser understands about commands is parsed.
    Full,
    /// Level of detail at which messages, memory and file totals are skipped and, of database
    /// tables, only total lock times are parsed. For commands that the sink has marked, processor
    /// usage and reads without a lock are parsed as well.
    Locks,
}

/// Parser for the text log of one server, line by line.
#[derive(Debug)]
pub struct TextLog {
    time: LocalTime,
    detail: Detail,
    open_commands: OpenCommands,
    state: State,
    place: Place,
    start: StartLine,
    error: ErrorText,
    /// The open `p4 sync` commands that have ended a compute phase, and for which the log has not
    /// yet stated an estimate of the transfer since then.
    waiting_commands: Vec<Ticket>,
    now_ns: u64,
    request: Request,
    counts: Counts,
    /// Number of lines in the log files before the current one, since the last call of `counts`.
    lines_before: u64,
}

/// State of the text log parser between two lines: the part of a log block to which the last line
/// belonged.
#[derive(Debug)]
enum State {
    Outside,
    Head,
    Start,
    Body(Ticket),
    Error,
}

impl TextLog {
    /// Creates a parser for text logs whose times are local times of the given zone.
    #[must_use]
    pub fn new(zone: tz::TimeZone, detail: Detail) -> Self {
        TextLog {
            time: LocalTime::new(zone),
            detail,
            open_commands: OpenCommands::default(),
            state: State::Outside,
            place: Place::default(),
            start: StartLine::default(),
            error: ErrorText::default(),
            waiting_commands: Vec::new(),
            now_ns: 0,
            request: Request::default(),
            counts: Counts::default(),
            lines_before: 0,
        }
    }

    /// Prepares the parser for the lines of the next text log file; `file` is the number of that
    /// file, counted from 0.
    pub fn begin_file(&mut self, file: u32) {
        self.open_commands.file = file;
        self.lines_before = self.counts.lines;
    }

    /// Number of lines of text logs read since the last call of `counts`, and number of those not
    /// understood.
    #[must_use]
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

    /// Counts and parses the next line of the text log; with `Detail::Locks`, lines with page or
    /// row counts of tables are only counted.
    #[inline]
    pub fn line(&mut self, line: &[u8], sink: &mut impl Sink) {
        self.counts.lines += 1;
        if self.detail == Detail::Locks && is_about_rows(line) {
            return;
        }
        self.parse_line(line, sink);
    }

    /// Parses a line of the text log. With `Detail::Locks`, lines with page or row counts of
    /// tables, which are most lines, are not passed to this function.
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

    /// Ends the current log block, unless its start line is incomplete, and passes the commands
    /// that have ended to the sink; called when the growing text log has had no new data for a
    /// while.
    pub fn pause(&mut self, sink: &mut impl Sink) {
        if !self.start.is_open {
            self.end_block(sink);
        }
        self.open_commands.close_ended(sink);
    }

    /// Passes all open commands to the sink; called at the end of the text log.
    pub fn finish(&mut self, sink: &mut impl Sink) {
        self.end_block(sink);
        self.open_commands.close_all(sink);
    }

    /// Returns the counts of text log lines and commands since the previous call, and resets them.
    pub fn counts(&mut self) -> Counts {
        self.counts.add(self.open_commands.take_counts());
        self.lines_before = 0;
        std::mem::take(&mut self.counts)
    }

    fn header(&mut self, header: Header, before: &[u8], sink: &mut impl Sink) {
        if !before.is_empty() {
            // The text before the header is parsed like a separate log line, but not counted again,
            // because its line was already counted.
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

    /// Ends the current block of the text log: a block of only a start line begins a command; an
    /// error block is assigned to a command or reported as an event.
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

    /// Parses a text log line without a time and process, such as an empty line, a trigger's
    /// duration or an estimate of a sync.
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
