use crate::record::command::Command;

/// A command is passed at its start and again when nothing more about it is expected, so ends may
/// come in another order than starts.
pub trait Sink {
    /// A user's command; its `mark` may be set, to recognize the command at its end.
    fn begin(&mut self, command: &mut Command) {
        let _ = command;
    }

    fn end_command(&mut self, command: &Command);

    /// Called before the commands and events of the next server; None if its name is unknown.
    fn server(&mut self, name: Option<&str>) {
        let _ = name;
    }

    /// Called after a file was read as far as possible, and for a file that is not a log.
    fn file(&mut self, file: &File<'_>) {
        let _ = file;
    }

    fn event(&mut self, event: &Event<'_>) {
        let _ = event;
    }
}

#[derive(Debug)]
pub struct File<'l> {
    /// In reading order, counted from 0.
    pub number: u32,
    /// As named on the command line; `-` for standard input.
    pub path: &'l str,
    /// `text` or `structured`; None if the file is empty, cannot be opened or is not a log.
    pub form: Option<&'static str>,
    /// Of text, after decompression.
    pub bytes: u64,
    /// Lines read, and those (in a structured log, records) not understood.
    pub lines: [u64; 2],
    pub problem: Option<&'l str>,
}

impl<'l> File<'l> {
    /// An empty file or, with a `problem`, one that cannot be opened or is not a log.
    pub fn unread(number: u32, path: &'l str, problem: Option<&'l str>) -> Self {
        File { number, path, form: None, bytes: 0, lines: [0; 2], problem }
    }
}

#[derive(Debug)]
pub struct Event<'l> {
    /// Counted from 0 in reading order.
    pub file: u32,
    pub line: u64,
    /// Nanoseconds since the Unix epoch (of a server start without a time: the last time before).
    pub time_ns: Option<u64>,
    pub pid: Option<u64>,
    pub kind: EventKind<'l>,
}

#[derive(Debug, PartialEq)]
pub enum EventKind<'l> {
    Started,
    ActiveThreads(u64),
    PausedThreads(u64),
    /// Short of processor time or memory (2023.1 and later).
    Pressure {
        /// In percent, for processor and memory; not thresholds (`Pause rate CPU 59%, mem 0%`).
        rates: [i64; 2],
        /// Of processor and memory, each 0 to 2.
        levels: [i64; 2],
    },
    /// Of no open command.
    Error {
        /// Such as `user-fstat`; empty if not stated.
        operation: &'l [u8],
        text: &'l [u8],
    },
}
