//! `p4warden-log read`: prints every command and event of logs, and counts, as lines of JSON.

use crate::parse::text::Detail;
use crate::record::command::Command;
use crate::record::sink::{Event, Sink};
use crate::source::log_files::{Log, LogFile, ReadableLogs, reading_groups, sorted_logs};
use crate::source::reader::{MoreData, Reader};
use crate::subcommands::all_logs::read_part;
use crate::subcommands::servers::some;
use crate::write::json;
use p4warden_gate::base::clock::zone;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};
use std::ffi::OsString;
use std::io::{self, Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const MAX_LINES_BYTES: usize = 1 << 16;
/// After `LOOKS` checks of a growing log without new data, commands that have ended are printed
/// without waiting for late lines about them.
const LOOK: Duration = Duration::from_millis(200);
const LOOKS: u32 = 50;

/// False if a file is not a log or could not be read to its end.
pub fn run(words: &[OsString]) -> Result<bool, Fault> {
    let options = Options::read(words, &["follow"], &[])?;
    let files = some(LogFile::without_server(&options.words))?;
    let readable = sorted_logs(&files, |_| zone().clone()).map_err(Fault::File)?;
    let follows = options.has("follow") && !readable.logs.iter().any(Log::is_stream);
    let ReadableLogs { logs, faults } = if follows { readable } else { readable.without_empty() };
    let faults: Vec<String> = faults.into_iter().map(|(_, fault)| fault).collect();
    if logs.is_empty() {
        return Err(Fault::File(faults.join("\n")));
    }
    let stop = if follows { stop_signal()? } else { Arc::default() };
    let mut problems = Vec::new();
    report(faults, &mut problems);
    let mut reader = Reader::new(zone().clone(), Detail::Full);
    let mut output = Output { output: stdout().lock(), lines: String::new(), error: None };
    let (last, before) = match logs.split_last() {
        Some((last, before)) if follows => (Some(last), before),
        _ => (None, &*logs),
    };
    for part in reading_groups(before) {
        report(read_part(&mut reader, part, &mut output, |_| {}), &mut problems);
    }
    if let Some(log) = last {
        report(
            follow(&mut reader, log, &stop, &mut output).err().into_iter().collect(),
            &mut problems,
        );
    }
    reader.finish(&mut output);
    let counts = reader.counts();
    json::counts(&mut output.lines, &counts, reader.bytes);
    output.flush();
    match output.error {
        // The process that reads the output has closed the pipe; this is not an error.
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(problems.is_empty()),
        Some(error) => Err(Fault::of_output(&error)),
        None => Ok(problems.is_empty()),
    }
}

/// Set at the first SIGTERM or SIGINT, so that open commands are still printed; the second signal
/// ends the program immediately.
fn stop_signal() -> Result<Arc<AtomicBool>, Fault> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        register_conditional_shutdown(signal, 1, Arc::clone(&stop))
            .and_then(|_| register(signal, Arc::clone(&stop)))
            .map_err(|error| Fault::File(format!("signals: {error}")))?;
    }
    Ok(stop)
}

fn report(new_problems: Vec<String>, problems: &mut Vec<String>) {
    new_problems.iter().for_each(|problem| eprintln!("p4warden-log: {problem}"));
    problems.extend(new_problems);
}

fn follow(
    reader: &mut Reader,
    log: &Log,
    stop: &AtomicBool,
    output: &mut Output<impl Write>,
) -> Result<(), String> {
    let mut checks = 0;
    reader.read(
        log,
        output,
        |output, some| {
            checks = if some { 0 } else { checks + 1 };
            output.flush();
            if output.error.is_some() || stop.load(Ordering::Relaxed) {
                return MoreData::No;
            }
            std::thread::sleep(LOOK);
            if checks == LOOKS { MoreData::NotSoon } else { MoreData::Perhaps }
        },
        |_| !stop.load(Ordering::Relaxed),
    )
}

/// After a failed write further output is discarded.
struct Output<W> {
    output: W,
    lines: String,
    error: Option<io::Error>,
}

impl<W: Write> Output<W> {
    fn flush(&mut self) {
        if self.error.is_none() {
            let result = self.output.write_all(self.lines.as_bytes());
            self.error = result.and_then(|()| self.output.flush()).err();
        }
        self.lines.clear();
    }

    fn flush_if_much(&mut self) {
        if self.lines.len() > MAX_LINES_BYTES {
            self.flush();
        }
    }
}

impl<W: Write> Sink for Output<W> {
    fn end_command(&mut self, command: &Command) {
        json::command(&mut self.lines, command);
        self.flush_if_much();
    }

    fn event(&mut self, event: &Event<'_>) {
        json::event(&mut self.lines, event);
        self.flush_if_much();
    }
}
