use crate::parse::text::Detail;
use crate::record::counts::Counts;
use crate::record::sink::{File, Sink};
use crate::source::log_files::{Log, ReadableLogs, reading_groups, sorted_logs};
use crate::source::reader::{MoreData, Reader};
use crate::subcommands::servers::Servers;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;

#[derive(Debug, Default)]
pub struct ReadTotals {
    pub counts: Counts,
    /// Of log text, after decompression.
    pub bytes: u64,
    /// One line of text each, with the log's path.
    pub problems: Vec<String>,
}

/// Of several readings of the same logs, which count together in the progress. The last one reports
/// problems.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub number: u64,
    pub of: u64,
}

impl Reading {
    pub const ONLY: Reading = Reading { number: 1, of: 1 };

    fn report(self, problem: &str) {
        if self.number == self.of {
            eprintln!("p4warden-log: {problem}");
        }
    }
}

/// Treats all logs as those of one server.
pub fn read_all(
    options: &Options,
    detail: Detail,
    reading: Reading,
    sink: &mut impl Sink,
) -> Result<ReadTotals, Fault> {
    let (servers, readable) = named_logs(options)?;
    read_logs(options, &servers, readable.of_one_server(), (detail, reading), sink)
}

pub fn read_servers(
    options: &Options,
    detail: Detail,
    sink: &mut impl Sink,
) -> Result<ReadTotals, Fault> {
    let (servers, readable) = named_logs(options)?;
    read_logs(options, &servers, readable, (detail, Reading::ONLY), sink)
}

fn named_logs(options: &Options) -> Result<(Servers, ReadableLogs), Fault> {
    let servers = Servers::read(options)?;
    let readable = sorted_logs(&servers.files, |server| servers.zone(server));
    Ok((servers, readable.map_err(Fault::File)?))
}

/// A log that cannot be read is reported on standard error, and the others are read. Fails if no
/// file is a readable log, or if nothing of the only readable log could be read.
fn read_logs(
    options: &Options,
    servers: &Servers,
    readable: ReadableLogs,
    (detail, reading): (Detail, Reading),
    sink: &mut impl Sink,
) -> Result<ReadTotals, Fault> {
    let (mut totals, readable) = (ReadTotals::default(), readable.without_empty());
    if readable.logs.is_empty() {
        let faults: Vec<String> = readable.faults.into_iter().map(|(_, fault)| fault).collect();
        return Err(Fault::File(faults.join("\n")));
    }
    let mut progress = Progress::new(options.has("progress"), &readable.logs, reading);
    let mut number = 0;
    for logs in readable.logs.chunk_by(|one, other| one.server == other.server) {
        let name = logs.first().and_then(|log| log.server.as_deref());
        let mut reader = Reader::new(servers.zone(name), detail);
        reader.files_from(number);
        sink.server(name);
        for part in reading_groups(logs) {
            for problem in read_part(&mut reader, part, sink, |bytes| progress.report(bytes)) {
                if reader.bytes == 0 && readable.logs.len() == 1 {
                    return Err(Fault::File(problem));
                }
                reading.report(&problem);
                totals.problems.push(problem);
            }
            progress.before_bytes += part.iter().filter_map(|log| log.stored_bytes).sum::<u64>();
        }
        number += u32::try_from(logs.len()).unwrap_or(u32::MAX);
        reader.finish(sink);
        totals.counts.add(reader.counts());
        totals.bytes += reader.bytes;
    }
    report_left_out(&readable, &mut totals, (reading, number), sink);
    Ok(totals)
}

/// One text log, or several structured logs; returns one-line errors.
pub fn read_part(
    reader: &mut Reader,
    part: &[Log],
    sink: &mut impl Sink,
    mut progress: impl FnMut(u64),
) -> Vec<String> {
    let [log] = part else {
        return reader.read_together(part, sink, progress);
    };
    let report = |bytes| {
        progress(bytes);
        true
    };
    reader.read(log, sink, |_, _| MoreData::No, report).err().into_iter().collect()
}

fn report_left_out(
    readable: &ReadableLogs,
    totals: &mut ReadTotals,
    (reading, first): (Reading, u32),
    sink: &mut impl Sink,
) {
    for ((path, fault), number) in readable.faults.iter().zip(first..) {
        reading.report(fault);
        sink.file(&File::unread(number, path, Some(fault)));
        totals.problems.push(fault.clone());
    }
}

/// Printed with `--progress` as one JSON object per line.
struct Progress {
    is_enabled: bool,
    before_bytes: u64,
    total_bytes: u64,
}

impl Progress {
    fn new(is_enabled: bool, logs: &[Log], Reading { number, of }: Reading) -> Self {
        let bytes: u64 = logs.iter().filter_map(|log| log.stored_bytes).sum();
        Progress { is_enabled, before_bytes: bytes * (number - 1), total_bytes: bytes * of }
    }

    fn report(&self, read_bytes: u64) {
        if self.is_enabled {
            let (read_bytes, of_bytes) = (self.before_bytes + read_bytes, self.total_bytes);
            eprintln!("{{\"read_bytes\": {read_bytes}, \"of_bytes\": {of_bytes}}}");
        }
    }
}
