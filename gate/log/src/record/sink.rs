//! Interface through which a reader of logs passes on commands and events.

use crate::record::command::Command;

/// Receiver of the records of a log, in the order of the log.
pub trait Sink {
    /// Called at the start of a command, with the data of its start line. The sink may set the
    /// command's mark.
    fn begin(&mut self, command: &mut Command) {
        let _ = command;
    }

    /// Called when a command has ended, or when the log can contain nothing more about it. All data
    /// of the command is present.
    fn over(&mut self, command: &Command);

    /// Called before the commands and events of another server; None if the server's name is
    /// unknown.
    fn server(&mut self, name: Option<&str>) {
        let _ = name;
    }

    /// Called after a file was read to its end, or as far as possible.
    fn file(&mut self, file: &File<'_>) {
        let _ = file;
    }

    /// Called for an event that belongs to no command.
    fn event(&mut self, event: &Event<'_>) {
        let _ = event;
    }
}

/// A log file named on the command line, with the amount read of it.
#[derive(Debug)]
pub struct File<'l> {
    /// Number of the log file in reading order, from 0.
    pub number: u32,
    /// Path of the log file as named on the command line; `-` for standard input.
    pub path: &'l str,
    /// Form of the log, `text` or `structured`; None if the file is not a log.
    pub form: Option<&'static str>,
    /// Number of bytes of text read from the log file.
    pub bytes: u64,
    /// Number of lines in the log file, and number of lines not understood.
    pub lines: [u64; 2],
    /// The error that prevented reading the log file to its end; None if there was none.
    pub problem: Option<&'l str>,
}

/// An event in a log that belongs to no command.
#[derive(Debug)]
pub struct Event<'l> {
    /// Number of the log file in reading order, counted from 0.
    pub file: u32,
    /// Line number of the event in the log file.
    pub line: u64,
    /// Time of the event in nanoseconds since the Unix epoch.
    pub time_ns: Option<u64>,
    /// Number of the server's process that wrote the log line; None if not stated.
    pub pid: Option<u64>,
    /// The kind of the event, with the values that the log states.
    pub what: What<'l>,
}

/// A kind of event that belongs to no command, with the values that the log states.
#[derive(Debug, PartialEq)]
pub enum What<'l> {
    /// Event: the server was started.
    Started,
    /// Event: the server's number of active threads or processes.
    ActiveThreads(u64),
    /// Event: the server's number of threads or processes paused because of pressure.
    PausedThreads(u64),
    /// Event: the server is under pressure (2023.1 and later).
    Pressure {
        /// Pause rates for processor and memory pressure, in percent.
        rates: [i64; 2],
        /// Pressure levels of processor and memory, 0 to 2.
        levels: [i64; 2],
    },
    /// An error of a command that cannot be identified, or that several commands may have caused.
    Error {
        /// Name of the command that failed, such as `user-fstat`.
        operation: &'l [u8],
        /// Text of the error as worded by the server.
        text: &'l [u8],
    },
}
