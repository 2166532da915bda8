//! Interface to which a reader of logs passes the commands and events of the logs.

use crate::record::command::Command;

/// Receiver of the commands, events, server names and log files that a log reader passes on. A
/// command is passed at its start and again when nothing more about it is expected, so ends may
/// come in another order than starts.
pub trait Sink {
    /// Called when a user's command is first known, with the data of its start; the receiver may
    /// set the field `mark` of the record, a number by which it recognizes the command at its end.
    fn begin(&mut self, command: &mut Command) {
        let _ = command;
    }

    /// Called when no more data about a command is expected; `command` then contains all data about
    /// it that was read.
    fn end_command(&mut self, command: &Command);

    /// Called before the commands and events of the next server; `name` is None if the server's
    /// name is unknown.
    fn server(&mut self, name: Option<&str>) {
        let _ = name;
    }

    /// Called after a log file was read to its end or as far as possible, and for a file that
    /// cannot be opened or is not a log.
    fn file(&mut self, file: &File<'_>) {
        let _ = file;
    }

    /// Called for a logged event that belongs to no command.
    fn event(&mut self, event: &Event<'_>) {
        let _ = event;
    }
}

/// A log file named on the command line, with the number of bytes and lines read.
#[derive(Debug)]
pub struct File<'l> {
    /// Number of the log file in reading order, counted from 0.
    pub number: u32,
    /// Path of the log file as named on the command line; `-` for standard input.
    pub path: &'l str,
    /// Form of the log, `text` or `structured`; None if the file is empty, cannot be opened or is
    /// not a log.
    pub form: Option<&'static str>,
    /// Number of bytes of text read from the log file, after decompression.
    pub bytes: u64,
    /// Number of lines read from the log file, and number of those (in a structured log, of
    /// records) that were not understood.
    pub lines: [u64; 2],
    /// The error that prevented reading the log file to its end; None without an error.
    pub problem: Option<&'l str>,
}

impl<'l> File<'l> {
    /// Creates the record of a log file of which nothing was read: it is empty or, if there is a
    /// `problem`, cannot be opened or is not a log.
    #[must_use]
    pub fn unread(number: u32, path: &'l str, problem: Option<&'l str>) -> Self {
        File { number, path, form: None, bytes: 0, lines: [0; 2], problem }
    }
}

/// An event in a log that belongs to no command, such as a start of the server.
#[derive(Debug)]
pub struct Event<'l> {
    /// Number of the log file that contains the event, counted from 0 in reading order.
    pub file: u32,
    /// Line number of the event in its log file.
    pub line: u64,
    /// Time of the event in nanoseconds since the Unix epoch (for a server start without a time:
    /// the last time that the log states before it); None if unknown.
    pub time_ns: Option<u64>,
    /// Number of the server process that the log states for the event; None if not stated.
    pub pid: Option<u64>,
    /// Kind of the logged event, with the values that the log states.
    pub kind: EventKind<'l>,
}

/// Kinds of logged events that belong to no command, each with the values that the log states.
#[derive(Debug, PartialEq)]
pub enum EventKind<'l> {
    /// Event in a log: the server was started.
    Started,
    /// Event in a log: the server states its number of active threads or processes.
    ActiveThreads(u64),
    /// Event in a log: the server states its number of threads or processes paused because of
    /// pressure.
    PausedThreads(u64),
    /// Event in a log: the server is short of processor time or memory (2023.1 and later).
    Pressure {
        /// Pause rates in percent, for processor and for memory pressure, at the time of the event;
        /// not thresholds (`Pause rate CPU 59%, mem 0%` in the log line).
        rates: [i64; 2],
        /// Levels of processor pressure and of memory pressure, each 0 to 2.
        levels: [i64; 2],
    },
    /// Event in a log: an error that could not be assigned to an open command.
    Error {
        /// Name of the command that caused the error, such as `user-fstat`; empty if not stated.
        operation: &'l [u8],
        /// Text of the logged error, as worded by the server.
        text: &'l [u8],
    },
}
