//! Counts, for each kind of fact, the logged commands and events that contain it, so that a report
//! can distinguish facts that the server did not record from events that did not happen.

use crate::record::command::Command;
use crate::record::sink::{Event, EventKind};

const KINDS: [&str; 18] = [
    "start", "end", "compute", "cpu", "rpc", "memory", "files", "estimates", "table", "lock",
    "archive", "trigger", "pause", "proxy", "error", "threads", "pressure", "server start",
];
const OF_COMMANDS: usize = 14;
const ERROR: usize = 14;
const THREADS: usize = 15;
const PRESSURE: usize = 16;
const STARTED: usize = 17;

/// Commands and events that state each kind of fact (for errors, messages), as in `KINDS`.
#[derive(Debug, Default)]
pub struct Kinds([u64; KINDS.len()]);

impl Kinds {
    pub fn command(&mut self, of: &Command) {
        let (mut tables, mut locks) = (false, false);
        for (_, table) in of.tables.iter() {
            tables |= table.pages.is_some() || table.uses.is_some();
            locks |= table.total_ms.is_some() || table.max_ms.is_some() || table.peeks.is_some();
            if tables && locks {
                break;
            }
        }
        let facts: [bool; OF_COMMANDS] = [
            of.start_ns.is_some(),
            of.end_ns().is_some(),
            of.compute_count > 0,
            of.usage.is_some(),
            of.rpc.is_some() || of.upstream.is_some(),
            of.memory_mb.is_some(),
            of.files.is_some() || of.client_files.is_some(),
            of.estimates.is_some(),
            tables,
            locks,
            !of.archives.is_empty(),
            !of.triggers.is_empty(),
            of.paused_ns.is_some(),
            of.proxy.is_some(),
        ];
        self.0
            .iter_mut()
            .zip(facts)
            .for_each(|(count, is_present)| *count += u64::from(is_present));
        self.add(ERROR, of.errors.len() as u64);
    }

    pub fn event(&mut self, of: &Event<'_>) {
        match of.kind {
            EventKind::ActiveThreads(_) | EventKind::PausedThreads(_) => self.add(THREADS, 1),
            EventKind::Pressure { .. } => self.add(PRESSURE, 1),
            EventKind::Error { .. } => self.add(ERROR, 1),
            EventKind::Started => self.add(STARTED, 1),
        }
    }

    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        KINDS.into_iter().zip(self.0)
    }

    fn add(&mut self, kind: usize, count: u64) {
        if let Some(place) = self.0.get_mut(kind) {
            *place += count;
        }
    }
}
