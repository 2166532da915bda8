//! The open commands of a p4d log: those about which the log may contain further lines.

use crate::record::command::Command;
use crate::record::counts::Counts;
use crate::record::request::Request;
use crate::record::sink::Sink;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// Log time after a command's end during which further lines about it are accepted.
const LATE_NS: u64 = 10 * 1_000_000_000;
/// A log written with `server=1` contains no ends of commands; above this number, or above
/// `MAX_TEXT_BYTES` of start lines, the oldest commands are closed.
const MAX_OPEN: usize = 1 << 15;
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Reference to an open command of the log parser; becomes invalid once the command is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    place: usize,
    serial: u64,
}

#[derive(Debug, Default)]
pub struct Slot {
    pub command: Command,
    /// Whether the first log block about the command consists of its start line alone; false for
    /// background work of the server, whose first log block also contains its usage report.
    pub is_bare: bool,
    /// Whether a report of the open command's resource usage has begun in the text log.
    pub is_tracked: bool,
    is_ended: bool,
    key: u64,
    serial: u64,
    text_bytes: usize,
}

#[derive(Debug, Default)]
pub struct OpenCommands {
    slots: Vec<Slot>,
    free_slots: Vec<usize>,
    by_key: HashMap<u64, usize, BuildHasherDefault<SpreadHasher>>,
    in_order: VecDeque<Ticket>,
    ended_commands: VecDeque<(u64, Ticket)>,
    serial: u64,
    text_bytes: usize,
    closed_counts: Counts,
    /// Whether the log so far contains ends of commands. A log written with `server=1` does not;
    /// then it is unknown which commands were still running when the log stopped.
    pub has_ends: bool,
    /// Number of the log file that is being read, counted from 0.
    pub file: u32,
}

impl OpenCommands {
    /// `key` is the number of the process, combined with the command's number if the log has one.
    pub fn of(&self, key: u64) -> Option<Ticket> {
        let place = *self.by_key.get(&key)?;
        Some(Ticket { place, serial: self.slots.get(place)?.serial })
    }

    pub fn get(&mut self, ticket: Ticket) -> Option<&mut Slot> {
        self.slots.get_mut(ticket.place).filter(|slot| slot.serial == ticket.serial)
    }

    /// First closes an open command with the same key and, above the limits, the oldest ones.
    pub fn add(&mut self, key: u64, line: u64, sink: &mut impl Sink) -> Ticket {
        if let Some(before) = self.of(key) {
            // A process runs one command after another, so its earlier command has ended, even if
            // the log has no line about the end.
            self.note_running(before, Some(false));
            self.close(before, sink);
        }
        while self.by_key.len() >= MAX_OPEN || self.text_bytes > MAX_TEXT_BYTES {
            self.close_oldest(sink);
        }
        self.serial += 1;
        let place = self.free_slots.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        });
        let ticket = Ticket { place, serial: self.serial };
        if let Some(slot) = self.slots.get_mut(place) {
            (slot.serial, slot.key) = (self.serial, key);
            (slot.command.pid, slot.command.line, slot.command.file) = (key, line, self.file);
        }
        self.by_key.insert(key, place);
        self.in_order.push_back(ticket);
        self.forget_closed();
        ticket
    }

    /// Passes the command to the sink if its start line names a user; `request` receives the
    /// previous start line, for reuse of its memory.
    pub fn begin(
        &mut self,
        ticket: Ticket,
        request: &mut Request,
        start_ns: Option<u64>,
        sink: &mut impl Sink,
    ) {
        let Some(slot) = self.get(ticket) else {
            return;
        };
        std::mem::swap(&mut slot.command.request, request);
        slot.command.start_ns = start_ns;
        if slot.command.request.user().is_some() {
            sink.begin(&mut slot.command);
        }
        let bytes = slot.command.request.text().len();
        let before = std::mem::replace(&mut slot.text_bytes, bytes);
        self.text_bytes = self.text_bytes + bytes - before;
    }

    /// The command stays open for late lines. Ends that repeat use no memory.
    pub fn end(&mut self, ticket: Ticket, at_ns: u64) {
        self.has_ends = true;
        let slot = self.get(ticket);
        if slot.is_some_and(|slot| !std::mem::replace(&mut slot.is_ended, true)) {
            self.ended_commands.push_back((at_ns, ticket));
        }
    }

    /// Closes the commands whose end is more than `LATE_NS` away from `now_ns`.
    pub fn settle(&mut self, now_ns: u64, sink: &mut impl Sink) {
        while let Some((at_ns, ticket)) = self.ended_commands.front().copied() {
            // After the server's clock was set back, earlier ends may lie after `now_ns`. The
            // absolute difference closes these commands as well.
            if now_ns.abs_diff(at_ns) <= LATE_NS {
                return;
            }
            self.ended_commands.pop_front();
            self.note_running(ticket, Some(false));
            self.close(ticket, sink);
        }
    }

    /// Closes all commands that have ended, without waiting for late lines about them.
    pub fn close_ended(&mut self, sink: &mut impl Sink) {
        while let Some((_, ticket)) = self.ended_commands.pop_front() {
            self.note_running(ticket, Some(false));
            self.close(ticket, sink);
        }
    }

    /// Oldest first: the log stops, or the server restarted.
    pub fn close_all(&mut self, sink: &mut impl Sink) {
        while let Some(ticket) = self.in_order.pop_front() {
            let running = self.get(ticket).and_then(|slot| slot.command.ran_for_a_client());
            self.note_running(ticket, running.filter(|_| self.has_ends));
            self.close(ticket, sink);
        }
        self.ended_commands.clear();
    }

    pub fn close(&mut self, ticket: Ticket, sink: &mut impl Sink) {
        let Some(slot) = self.get(ticket) else {
            return;
        };
        let command = &slot.command;
        if command.end_ns().is_some() || command.ran_for_a_client() == Some(false) {
            slot.command.is_running = Some(false);
        }
        sink.end_command(&slot.command);
        let (key, text_bytes) = (slot.key, slot.text_bytes);
        let (starts, ends) = (slot.command.start_ns.is_some(), slot.command.end_ns().is_some());
        slot.command.clear();
        (slot.is_bare, slot.is_tracked, slot.is_ended) = (false, false, false);
        (slot.serial, slot.text_bytes) = (0, 0);
        self.text_bytes -= text_bytes;
        self.by_key.remove(&key);
        self.free_slots.push(ticket.place);
        self.closed_counts.commands += 1;
        self.closed_counts.without_start += u64::from(!starts);
        self.closed_counts.without_end += u64::from(!ends);
    }

    fn note_running(&mut self, ticket: Ticket, running: Option<bool>) {
        if let Some(slot) = self.get(ticket) {
            slot.command.is_running = running;
        }
    }

    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.closed_counts)
    }

    fn close_oldest(&mut self, sink: &mut impl Sink) {
        while let Some(ticket) = self.in_order.pop_front() {
            if self.get(ticket).is_some() {
                self.closed_counts.evicted_commands += 1;
                return self.close(ticket, sink);
            }
        }
    }

    /// Bounds the queues once most of their tickets are of closed commands.
    fn forget_closed(&mut self) {
        if self.in_order.len() > 1_024 + 2 * self.by_key.len() {
            let slots = &self.slots;
            let live = |ticket: &Ticket| {
                slots.get(ticket.place).is_some_and(|slot| slot.serial == ticket.serial)
            };
            self.in_order.retain(live);
        }
        if self.ended_commands.len() > 1_024 + 2 * self.by_key.len() {
            let slots = &self.slots;
            self.ended_commands.retain(|(_, ticket)| {
                slots.get(ticket.place).is_some_and(|slot| slot.serial == ticket.serial)
            });
        }
    }
}

/// Spreads process numbers, which are assigned in sequence, over the whole range.
#[derive(Debug, Default)]
pub struct SpreadHasher(u64);

impl Hasher for SpreadHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // The multiplier is that of a linear congruential generator (Knuth, MMIX).
        self.0 = (self.0 ^ number).wrapping_mul(6_364_136_223_846_793_005).rotate_left(29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ends(usize);

    impl Sink for Ends {
        fn end_command(&mut self, _: &Command) {
            self.0 += 1;
        }
    }

    #[test]
    fn a_command_that_ends_repeatedly_is_stored_once_as_ended() {
        let (mut open, mut ends) = (OpenCommands::default(), Ends(0));
        let tickets = [open.add(1, 1, &mut ends), open.add(2, 2, &mut ends)];
        for _ in 0..10_000 {
            tickets.iter().for_each(|ticket| open.end(*ticket, 0));
        }
        assert_eq!(open.ended_commands.len(), 2);
        open.settle(LATE_NS + 1, &mut ends);
        assert_eq!(ends.0, 2);
        let again = open.add(1, 3, &mut ends);
        open.end(again, 0);
        assert_eq!(open.ended_commands.len(), 1);
    }
}
