use super::shapes::{StampedLine, Step};
use super::{Detail, State, TextLog};
use crate::record::command::Estimates;
use crate::record::sink::{Event, EventKind, Sink};
use crate::units::numbers::whole_numbers;

/// Syncs that await an estimate; beyond it, the one that has waited longest is dropped.
const MAX_WAITING: usize = 256;

impl TextLog {
    pub(super) fn step(
        &mut self,
        at_ns: u64,
        pid: u64,
        step: Step,
        usage: &[u8],
        sink: &mut impl Sink,
    ) {
        self.clock(at_ns, sink);
        let line = self.line_number();
        let ticket_of_pid = self.open_commands.of(pid).filter(|ticket| {
            self.open_commands.get(*ticket).is_some_and(|slot| slot.command.completed_ns.is_none())
        });
        let ticket = ticket_of_pid.unwrap_or_else(|| self.open_commands.add(pid, line, sink));
        // The log contains ends of commands, even if this line is about a compute phase: compute
        // phases are logged at level `server=3`, which also logs the ends of commands.
        self.open_commands.has_ends = true;
        let Some(slot) = self.open_commands.get(ticket) else {
            return;
        };
        let command = &mut slot.command;
        if self.detail == Detail::Full || command.mark > 0 {
            command.usage = whole_numbers(usage).or(command.usage);
        }
        self.part.begin(command);
        match step {
            Step::Computed(lapse_ns) => {
                command.compute_count = command.compute_count.saturating_add(1);
                command.compute_ns = command.compute_ns.max(Some(lapse_ns));
                let syncs = command.request.command() == Some(b"user-sync");
                if syncs && !self.waiting_commands.contains(&ticket) {
                    if self.waiting_commands.len() >= MAX_WAITING {
                        self.waiting_commands.remove(0);
                    }
                    self.waiting_commands.push(ticket);
                }
            }
            Step::Completed(lapse_ns) => {
                command.completed_ns = Some(at_ns);
                command.lapse_ns = command.lapse_ns.or(Some(lapse_ns));
                self.waiting_commands.retain(|other| *other != ticket);
                self.open_commands.end(ticket, at_ns);
            }
        }
        self.state = State::Body(ticket);
    }

    /// Parses `files added/updated/deleted=1/2/3, bytes added/updated=111325/813906` and assigns it
    /// to the longest waiting sync; the log does not state which sync it concerns, so with several
    /// waiting syncs all are marked as unsure.
    pub(super) fn estimates(&mut self, counts: &[u8], line: &[u8]) {
        let Some(counts) = whole_numbers::<5>(counts) else {
            return self.add_unknown(line);
        };
        let open = &mut self.open_commands;
        self.waiting_commands.retain(|ticket| open.get(*ticket).is_some());
        let unsure = self.waiting_commands.len() > 1;
        for ticket in &self.waiting_commands {
            if let Some(slot) = open.get(*ticket).filter(|_| unsure) {
                slot.command.estimates.get_or_insert_default().is_unsure = true;
            }
        }
        let first = (!self.waiting_commands.is_empty()).then(|| self.waiting_commands.remove(0));
        let Some(slot) = first.and_then(|ticket| open.get(ticket)) else {
            self.counts.without_command += 1;
            return;
        };
        let estimates = slot.command.estimates.get_or_insert_with(Estimates::default);
        let sums = estimates.counts.iter_mut().zip(counts);
        sums.for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }

    pub(super) fn server_start(&mut self, rest: &[u8], sink: &mut impl Sink) {
        self.end_block(sink);
        self.open_commands.close_all(sink);
        let date = rest.trim_ascii_start().first_chunk();
        let time_ns = date.and_then(|date| self.time.read_ns(date));
        let time_ns = time_ns.or((self.now_ns > 0).then_some(self.now_ns));
        self.counts.events += 1;
        let (file, line) = (self.open_commands.file, self.line_number());
        sink.event(&Event { file, line, time_ns, pid: None, kind: EventKind::Started });
    }

    /// Such as `Server is now using 148 active threads.`
    pub(super) fn server_event(
        &mut self,
        time_ns: Option<u64>,
        stamped: &StampedLine<'_>,
        sink: &mut impl Sink,
    ) {
        let kind = match stamped.rest {
            text if text.starts_with(b"Server is now using ") => whole_numbers(text)
                .map(|[threads]: [i64; 1]| EventKind::ActiveThreads(threads.unsigned_abs())),
            text if text.starts_with(b"Server now has ") => whole_numbers(text)
                .map(|[threads]: [i64; 1]| EventKind::PausedThreads(threads.unsigned_abs())),
            text if text.starts_with(b"Server under resource pressure") => {
                whole_numbers(text).map(|[cpu_rate, mem_rate, cpu, mem]: [i64; 4]| {
                    EventKind::Pressure { rates: [cpu_rate, mem_rate], levels: [cpu, mem] }
                })
            }
            _ => None,
        };
        let Some(kind) = kind else {
            self.counts.unused_lines += 1;
            return;
        };
        self.counts.events += 1;
        let pid = Some(stamped.pid);
        let (file, line) = (self.open_commands.file, self.line_number());
        sink.event(&Event { file, line, time_ns, pid, kind });
    }
}
