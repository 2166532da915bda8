//! Output file of a replay (option `--each`): the verdicts of the policy `--policy` on the commands
//! whose names its rules cover.

use super::policy_run::PolicyVerdict;
use super::report;
use crate::record::command::Command;
use p4warden_index::base::trouble::Trouble;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writer of the file with the verdicts of a replay, one JSON line per command.
pub struct VerdictFile {
    file: BufWriter<File>,
    line: String,
    result: io::Result<()>,
}

impl VerdictFile {
    /// Opens the file of verdicts for writing and empties it; a new file gets mode 0600. Fails if
    /// the file cannot be opened, or has content that does not begin like a file of verdicts.
    pub fn create(path: &str) -> Result<Self, Trouble> {
        if !is_replaceable(path) {
            let problem =
                "already exists and does not contain verdicts; specify another file for --each";
            return Err(Trouble::File(format!("{path}: {problem}")));
        }
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let file = file.map_err(|error| Trouble::of_file(Path::new(path), &error))?;
        Ok(VerdictFile { file: BufWriter::new(file), line: String::new(), result: Ok(()) })
    }

    /// Appends a policy's verdict on a command, with the time of the command, to the file of
    /// verdicts.
    pub fn note(&mut self, command: &Command, now_ns: u64, verdict: &PolicyVerdict<'_>) {
        report::verdict_line(&mut self.line, command, now_ns, verdict);
        if self.result.is_ok() {
            self.result = self.file.write_all(self.line.as_bytes());
        }
        self.line.clear();
    }

    /// Writes the buffered verdicts to the file; fails if any write to it failed.
    pub fn finish(mut self) -> io::Result<()> {
        self.result?;
        self.file.flush()
    }
}

/// Whether the output file may be replaced: it cannot be read (such as a missing file), is empty,
/// or begins like a file of verdicts.
fn is_replaceable(path: &str) -> bool {
    const START: &[u8] = b"{\"line\": ";
    let mut start = Vec::new();
    let outcome =
        File::open(path).and_then(|file| file.take(START.len() as u64).read_to_end(&mut start));
    outcome.is_err() || start.is_empty() || start == START
}
