//! Where a log's commands and events go.

use crate::record::command::Command;

/// Takes what a log tells, in the log's order.
pub trait Sink {
    /// A command began; what its start line says is known. The sink may leave a mark on it.
    fn begun(&mut self, command: &mut Command) {
        let _ = command;
    }

    /// A command is over, or nothing more will be heard of it. All that the log told is there.
    fn over(&mut self, command: &Command);

    /// The next commands and events are of a server; None where its name is not known.
    fn server(&mut self, name: Option<&str>) {
        let _ = name;
    }

    /// A file was read to its end, or as far as that is possible.
    fn file(&mut self, file: &File<'_>) {
        let _ = file;
    }

    /// Something happened that is no command's own.
    fn event(&mut self, event: &Event<'_>) {
        let _ = event;
    }
}

/// A file that was named, and how much of it was read.
#[derive(Debug)]
pub struct File<'l> {
    /// Its number in the order of reading, from 0.
    pub number: u32,
    /// Its path.
    pub path: &'l str,
    /// `text` or `structured`; None where it is no log.
    pub form: Option<&'static str>,
    /// Bytes of text.
    pub bytes: u64,
    /// Lines, and those of them that were not understood.
    pub lines: [u64; 2],
    /// The fault that kept it from being read to its end.
    pub problem: Option<&'l str>,
}

/// Something that is no command's own.
#[derive(Debug)]
pub struct Event<'l> {
    /// The file of the log, counted from 0.
    pub file: u32,
    /// The line of that file.
    pub line: u64,
    /// When, in nanoseconds since the epoch.
    pub time_ns: Option<u64>,
    /// The process that wrote it.
    pub pid: Option<u64>,
    /// The kind of event, with its values.
    pub what: What<'l>,
}

/// A kind of event, with its values.
#[derive(Debug, PartialEq)]
pub enum What<'l> {
    /// The server started.
    Started,
    /// So many threads, or processes, are at work.
    ActiveThreads(u64),
    /// So many are paused.
    PausedThreads(u64),
    /// The server is under pressure (2023.1 and later).
    Pressure {
        /// Pause rate of the processors and of the memory, in percent.
        rates: [i64; 2],
        /// Pressure on the processors and on the memory, 0 to 2.
        levels: [i64; 2],
    },
    /// An error of a command that is not known, or could be several.
    Error {
        /// The command, as `user-fstat`.
        operation: &'l [u8],
        /// The server's words.
        text: &'l [u8],
    },
}
