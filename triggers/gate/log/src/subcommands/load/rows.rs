//! Rows of the log database, with columns in the order of `schema.sql`.

use crate::record::command::{Archive, Command, Proxy, Rpc};
use crate::record::sink::{Event, EventKind, File};
use crate::record::tables::Table;
use crate::write::sqlite::Record;
use std::collections::HashMap;

/// `names`: user, client, address, intermediate address, program, version and command.
pub fn command(row: &mut Record, of: &Command, names: [Option<i64>; 7], server: i64) {
    let request = &of.request;
    row.clear().null().integer(number(of.line)).integer(number(of.pid));
    row.seconds(of.start_ns).seconds(of.end_ns());
    for name in names {
        row.integer(name);
    }
    row.flag(request.is_brokered)
        .flag(request.is_cut)
        .integer(request.omitted_arguments.and_then(number));
    row.seconds(of.lapse_ns).seconds(of.compute_ns).integer(Some(of.compute_count.into()));
    row.seconds(of.paused_ns).integers(of.usage).integers(of.memory_mb);
    rpc(rpc(row, of.rpc), of.upstream);
    row.integers(of.files).integers(of.client_files);
    row.integers(of.estimates.map(|estimates| estimates.counts));
    row.integer(of.estimates.map(|estimates| i64::from(!estimates.is_unsure)));
    row.flag(of.is_fatal).flag(of.is_unauthenticated).flag(of.has_died);
    row.integer(Some(server)).integer(Some(i64::from(of.file) + 1));
    row.integer(of.is_running.map(i64::from));
    match &*of.ident {
        b"" => row.null(),
        ident => row.text(ident),
    };
}

fn rpc(row: &mut Record, of: Option<Rpc>) -> &mut Record {
    let blocked = of.and_then(|rpc| rpc.blocked_ns);
    row.integers(of.map(|rpc| rpc.counts));
    row.seconds(blocked.map(|[send, _]| send)).seconds(blocked.map(|[_, receive]| receive))
}

pub fn table(row: &mut Record, command: i64, name: Option<i64>, of: &Table) {
    row.clear().integer(Some(command)).integer(name);
    row.integers(of.pages).integers(of.splits).integers(of.uses);
    row.integers(of.total_ms).integers(of.max_ms).integers(of.peeks);
}

pub fn archive(row: &mut Record, command: i64, kind: Option<i64>, of: &Archive) {
    let bytes = of.bytes.map(|bytes| bytes.map(|count| number(count).unwrap_or(i64::MAX)));
    row.clear().integer(Some(command)).integer(kind);
    row.integers(of.opens).integers(bytes).integers(of.digests);
}

pub fn proxy(row: &mut Record, of: &Proxy) {
    let totals = of.totals.map(|counts| counts.map(|count| number(count).unwrap_or(i64::MAX)));
    row.clear().null().integers(totals).integers(of.faults);
}

/// False if the event is an error, which belongs in the table of errors.
pub fn event(row: &mut Record, of: &Event<'_>, server: i64) -> bool {
    row.clear().integer(number(of.line)).seconds(of.time_ns).integer(of.pid.and_then(number));
    match of.kind {
        EventKind::Started => row.integers::<6>(None),
        EventKind::ActiveThreads(threads) => row.integer(number(threads)).integers::<5>(None),
        EventKind::PausedThreads(threads) => {
            row.null().integer(number(threads)).integers::<4>(None)
        }
        EventKind::Pressure { rates, levels } => {
            row.integers::<2>(None).integers(Some(rates)).integers(Some(levels))
        }
        EventKind::Error { .. } => return false,
    };
    row.integer(Some(server)).integer(Some(i64::from(of.file) + 1));
    row.integer(matches!(of.kind, EventKind::Started).then_some(1));
    true
}

pub fn file(row: &mut Record, server: Option<i64>, of: &File<'_>) {
    let text_or_null = |row: &mut Record, text: Option<&str>| match text {
        Some(text) => drop(row.text(text.as_bytes())),
        None => drop(row.null()),
    };
    row.clear().null().integer(server).text(of.path.as_bytes());
    text_or_null(row, of.form);
    row.integer(number(of.bytes));
    for count in of.lines {
        row.integer(number(count));
    }
    text_or_null(row, of.problem);
}

pub fn number(count: u64) -> Option<i64> {
    i64::try_from(count).ok()
}

/// Maximum number of names remembered, because users can invent millions. When it is reached, all
/// are forgotten, and a name that recurs gets a second number in the database.
const MAX_NAMES: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct Names {
    numbers: HashMap<Vec<u8>, i64>,
    last_number: i64,
}

impl Names {
    /// Also returns whether the number was assigned by this call.
    pub fn number(&mut self, name: &[u8]) -> (i64, bool) {
        if let Some(number) = self.numbers.get(name) {
            return (*number, false);
        }
        if self.numbers.len() >= MAX_NAMES {
            self.numbers.clear();
        }
        self.last_number += 1;
        self.numbers.insert(name.to_vec(), self.last_number);
        (self.last_number, true)
    }
}
