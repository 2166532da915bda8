//! The verdict on every command, in a file.

use super::report;
use super::side::Said;
use crate::command::Command;
use crate::options::Trouble;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;

/// A file of the verdicts, one a line.
pub struct Each {
    file: BufWriter<File>,
    line: String,
    written: io::Result<()>,
}

impl Each {
    /// Makes the file, for its owner alone.
    pub fn create(path: &str) -> Result<Self, Trouble> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let file = file.map_err(|error| Trouble::File(format!("{path}: {error}")))?;
        Ok(Each { file: BufWriter::new(file), line: String::new(), written: Ok(()) })
    }

    /// Adds a verdict.
    pub fn note(&mut self, command: &Command, now_ns: u64, said: &Said<'_>) {
        report::each(&mut self.line, command, now_ns, said);
        if self.written.is_ok() {
            self.written = self.file.write_all(self.line.as_bytes());
        }
        self.line.clear();
    }

    /// Tells whether all was written.
    pub fn finish(mut self) -> io::Result<()> {
        self.written?;
        self.file.flush()
    }
}
