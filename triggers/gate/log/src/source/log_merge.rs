//! Merging of several structured logs of one server, in the order of their records' times.

use crate::parse::structured::{Assembly, time_ns};
use crate::record::sink::{File, Sink};
use crate::source::lines::Lines;
use crate::source::log_files::{Form, Log};
use p4warden_index::base::fault::reason;
use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

/// The open logs, and those not yet opened.
pub struct LogMerge<'l> {
    waiting_logs: Vec<(u32, &'l Log)>,
    open_sources: Vec<Source<'l>>,
    earliest_source: usize,
    ended_bytes: u64,
    stored_bytes: u64,
    pub long_lines: u64,
    pub problems: Vec<String>,
}

pub struct Source<'l> {
    log: &'l Log,
    pub file: u32,
    lines: Lines<Box<dyn Read>>,
    pub records: Assembly,
    time_ns: u64,
    lines_before: u64,
    pub unknown_records: u64,
    stored_bytes: Rc<Cell<u64>>,
    is_at_end: bool,
    fault: Option<String>,
}

impl<'l> LogMerge<'l> {
    /// `logs` must be sorted by their first times; their file numbers start at `first`.
    pub fn new(logs: &'l [Log], first: u32) -> Self {
        let mut waiting_logs: Vec<(u32, &Log)> = (first..).zip(logs).collect();
        waiting_logs.reverse();
        LogMerge {
            waiting_logs,
            open_sources: Vec::new(),
            earliest_source: 0,
            ended_bytes: 0,
            stored_bytes: 0,
            long_lines: 0,
            problems: Vec::new(),
        }
    }

    /// A log is opened only when it may contain the earliest record, so that only few of many
    /// rotated logs are open at a time.
    pub fn earliest(&mut self, sink: &mut impl Sink) -> Option<&mut Source<'l>> {
        loop {
            let earliest =
                self.open_sources.iter().enumerate().min_by_key(|(_, source)| source.time_ns);
            let earliest = earliest.map(|(place, source)| (place, source.time_ns));
            let waits = |(_, log): &&(u32, &Log)| {
                earliest.is_none_or(|(_, time_ns)| log.first_ns.is_none_or(|at| at <= time_ns))
            };
            if self.waiting_logs.last().filter(waits).is_some() {
                self.open_next(sink);
                continue;
            }
            self.earliest_source = earliest?.0;
            return self.open_sources.get_mut(self.earliest_source);
        }
    }

    fn open_next(&mut self, sink: &mut impl Sink) {
        let Some((file, log)) = self.waiting_logs.pop() else {
            return;
        };
        match log.open() {
            Ok(Some(opened)) => {
                let mut source = Source {
                    log,
                    file,
                    lines: Lines::new(opened.text),
                    records: Assembly::default(),
                    time_ns: 0,
                    lines_before: 0,
                    unknown_records: 0,
                    stored_bytes: opened.read_bytes,
                    is_at_end: false,
                    fault: None,
                };
                if source.advance() {
                    self.close(source, sink);
                } else {
                    self.open_sources.push(source);
                }
            }
            result => {
                let problem = result.err();
                sink.file(&File::unread(file, &log.path, problem.as_deref()));
                self.problems.extend(problem);
            }
        }
    }

    pub fn end(&mut self, sink: &mut impl Sink) {
        let source = self.open_sources.swap_remove(self.earliest_source);
        self.close(source, sink);
    }

    fn close(&mut self, source: Source<'_>, sink: &mut impl Sink) {
        self.ended_bytes += source.lines.bytes();
        self.stored_bytes += source.stored_bytes.get();
        self.long_lines += source.lines.cut_lines;
        sink.file(&File {
            number: source.file,
            path: &source.log.path,
            form: Some(Form::Structured.word()),
            bytes: source.lines.bytes(),
            lines: [source.records.lines, source.unknown_records],
            problem: source.fault.as_deref(),
        });
        self.problems.extend(source.fault);
    }

    pub fn bytes(&self) -> u64 {
        let open: u64 = self.open_sources.iter().map(|source| source.lines.bytes()).sum();
        self.ended_bytes + open
    }

    /// As stored, possibly compressed.
    pub fn stored_bytes(&self) -> u64 {
        let open: u64 = self.open_sources.iter().map(|source| source.stored_bytes.get()).sum();
        self.stored_bytes + open
    }
}

impl Source<'_> {
    /// Lines read since the previous call.
    pub fn new_lines(&mut self) -> u64 {
        let lines = self.records.lines - self.lines_before;
        self.lines_before = self.records.lines;
        lines
    }

    /// True if the log has ended.
    pub fn advance(&mut self) -> bool {
        let is_there = self.next_record();
        if is_there && let Some(time_ns) = time_ns(self.records.record().0) {
            self.time_ns = time_ns;
        }
        !is_there
    }

    fn next_record(&mut self) -> bool {
        while !self.is_at_end {
            match self.lines.complete_line() {
                Ok(Some(line)) if self.records.take(line) => return true,
                Ok(Some(_)) => continue,
                Ok(None) => {}
                Err(error) => self.fault = Some(format!("{}: {}", self.log.path, reason(&error))),
            }
            self.is_at_end = true;
            if self.lines.last_line().is_some_and(|rest| self.records.take(rest)) {
                return true;
            }
            return self.records.end();
        }
        false
    }
}
