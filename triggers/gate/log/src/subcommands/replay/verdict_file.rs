//! Option `--each`: the verdicts of `--policy` on the commands whose names its rules cover.

use super::policy_run::PolicyVerdict;
use super::report;
use crate::record::command::Command;
use p4warden_index::base::fault::Fault;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub struct VerdictFile {
    file: BufWriter<File>,
    line: String,
    result: io::Result<()>,
}

impl VerdictFile {
    /// Fails if the file has content that does not begin like a file of verdicts.
    pub fn create(path: &str) -> Result<Self, Fault> {
        if !is_replaceable(path) {
            let problem =
                "already exists and does not contain verdicts; specify another file for --each";
            return Err(Fault::File(format!("{path}: {problem}")));
        }
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let file = file.map_err(|error| Fault::of_file(Path::new(path), &error))?;
        Ok(VerdictFile { file: BufWriter::new(file), line: String::new(), result: Ok(()) })
    }

    pub fn note(&mut self, command: &Command, now_ns: u64, verdict: &PolicyVerdict<'_>) {
        report::verdict_line(&mut self.line, command, now_ns, verdict);
        if self.result.is_ok() {
            self.result = self.file.write_all(self.line.as_bytes());
        }
        self.line.clear();
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.result?;
        self.file.flush()
    }
}

/// A missing, unreadable or empty file, or one that begins like a file of verdicts.
fn is_replaceable(path: &str) -> bool {
    const START: &[u8] = b"{\"line\": ";
    let mut start = Vec::new();
    let outcome =
        File::open(path).and_then(|file| file.take(START.len() as u64).read_to_end(&mut start));
    outcome.is_err() || start.is_empty() || start == START
}
