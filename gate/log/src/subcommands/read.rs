//! `p4warden-log read`: every command, event and count as one line of JSON.

use crate::parse::text::Detail;
use crate::record::command::Command;
use crate::record::sink::{Event, Sink};
use crate::source::log_files::{Found, Log, Named, in_order};
use crate::source::reader::{More, Reader};
use crate::subcommands::options::{Options, Trouble};
use crate::write::json;
use p4warden_gate::base::clock::zone;
use std::ffi::OsString;
use std::io::{self, Write, stdout};
use std::time::Duration;

/// So much is written at once.
const MAX_LINES_BYTES: usize = 1 << 16;
/// How often a log that goes on is looked at, and after how many looks it is silent.
const LOOK: Duration = Duration::from_millis(200);
const LOOKS: u32 = 50;

/// Reads logs and writes their records; false if a log could not be read to its end.
pub fn run(words: &[OsString]) -> Result<bool, Trouble> {
    let options = Options::read(words, &["follow"], &[])?;
    let found = in_order(&Named::plain(&options.logs), |_| zone()).map_err(Trouble::File)?;
    let Found { logs, faults } = found;
    let faults: Vec<String> = faults.into_iter().map(|(_, fault)| fault).collect();
    if logs.is_empty() {
        return Err(Trouble::File(faults.join("\n")));
    }
    let mut reader = Reader::new(zone(), Detail::Full);
    let mut written = Written { to: stdout().lock(), lines: String::new(), failed: None };
    let mut all_good = faults.is_empty();
    for fault in faults {
        eprintln!("p4warden-log: {fault}");
    }
    for (index, log) in logs.iter().enumerate() {
        let goes_on = options.has("follow") && index + 1 == logs.len();
        if let Err(problem) = read(&mut reader, log, goes_on, &mut written) {
            eprintln!("p4warden-log: {problem}");
            all_good = false;
        }
    }
    reader.finish(&mut written);
    let counts = reader.counts();
    json::counts(&mut written.lines, &counts, reader.bytes);
    written.flush();
    match written.failed {
        // Whoever reads has seen enough.
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(all_good),
        Some(error) => Err(Trouble::File(error.to_string())),
        None => Ok(all_good),
    }
}

fn read(
    reader: &mut Reader,
    log: &Log,
    goes_on: bool,
    written: &mut Written<impl Write>,
) -> Result<(), String> {
    let mut looks = 0;
    reader.read(
        log,
        written,
        |written, some| {
            looks = if some { 0 } else { looks + 1 };
            written.flush();
            if !goes_on || written.failed.is_some() {
                return More::No;
            }
            std::thread::sleep(LOOK);
            if looks == LOOKS { More::NotSoon } else { More::Perhaps }
        },
        |_| {},
    )
}

/// The standard output; after a failure nothing more is written.
struct Written<W> {
    to: W,
    lines: String,
    failed: Option<io::Error>,
}

impl<W: Write> Written<W> {
    fn flush(&mut self) {
        if self.failed.is_none() {
            let written = self.to.write_all(self.lines.as_bytes());
            self.failed = written.and_then(|()| self.to.flush()).err();
        }
        self.lines.clear();
    }

    fn flush_if_much(&mut self) {
        if self.lines.len() > MAX_LINES_BYTES {
            self.flush();
        }
    }
}

impl<W: Write> Sink for Written<W> {
    fn over(&mut self, command: &Command) {
        json::command(&mut self.lines, command);
        self.flush_if_much();
    }

    fn event(&mut self, event: &Event<'_>) {
        json::event(&mut self.lines, event);
        self.flush_if_much();
    }
}
