//! All the logs that a command line names, read one after another.

use crate::record::sink::Sink;
use crate::source::log_files::in_order;
use crate::source::reader::{More, Reader};
use crate::subcommands::options::{Options, Trouble};
use p4warden_gate::base::clock::zone;

/// Reads all logs that a command line names; what kept one from being read to its end is told on
/// the standard error, and so is, with `--progress`, how much was read.
pub fn read_all(
    options: &Options,
    reader: &mut Reader,
    sink: &mut impl Sink,
) -> Result<Vec<String>, Trouble> {
    let logs = in_order(&options.logs, &zone()).map_err(Trouble::File)?;
    let of_bytes: u64 = logs.iter().filter_map(|log| log.stored_bytes).sum();
    let (mut problems, mut before_bytes) = (Vec::new(), 0);
    for log in &logs {
        let progress = |read_bytes: u64| {
            if options.has("progress") {
                let read_bytes = before_bytes + read_bytes;
                eprintln!("{{\"read_bytes\": {read_bytes}, \"of_bytes\": {of_bytes}}}");
            }
        };
        if let Err(problem) = reader.read(log, sink, |_, _| More::No, progress) {
            if reader.bytes == 0 && logs.len() == 1 {
                return Err(Trouble::File(problem));
            }
            eprintln!("p4warden-log: {problem}");
            problems.push(problem);
        }
        before_bytes += log.stored_bytes.unwrap_or(0);
    }
    reader.finish(sink);
    Ok(problems)
}
