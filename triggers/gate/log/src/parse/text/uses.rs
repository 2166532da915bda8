use super::track::is_lock;
use super::{State, TextLog};
use crate::record::sink::Sink;

impl TextLog {
    pub(super) fn track(&mut self, line: &[u8], rest: &[u8], sink: &mut impl Sink) {
        let is_first = matches!(self.state, State::Start);
        if is_first {
            self.start_body(sink);
        }
        self.begin_report(rest, is_first, sink);
        let slot = match self.state {
            State::Body(ticket) => self.open_commands.get(ticket),
            _ => None,
        };
        let Some(slot) = slot else {
            self.counts.without_command += 1;
            return;
        };
        if !self.part.line(rest, self.detail, &mut slot.command) {
            self.add_unknown(line);
        }
    }

    /// Called at a block's first line after the start line.
    pub(super) fn start_body(&mut self, sink: &mut impl Sink) {
        self.start.cut();
        let ticket = self.attach(sink);
        let slot = ticket.and_then(|ticket| self.open_commands.get(ticket));
        self.state = State::Outside;
        if let Some((ticket, slot)) = ticket.zip(slot) {
            self.part.begin(&slot.command);
            self.state = State::Body(ticket);
        }
    }

    /// The log reports the usage of a command once, so a second report means that the same command
    /// ran again in the same second; that run is added as another command. The report of background
    /// work begins with its first line that is not about a lock.
    pub(super) fn begin_report(&mut self, rest: &[u8], is_first: bool, sink: &mut impl Sink) {
        let State::Body(ticket) = self.state else {
            return;
        };
        let Some(slot) = self.open_commands.get(ticket) else {
            return;
        };
        let is_account =
            if slot.is_bare { rest.starts_with(b" lapse ") } else { is_first && !is_lock(rest) };
        if !is_account {
            return;
        }
        let start_ns = slot.command.start_ns;
        if !std::mem::replace(&mut slot.is_tracked, true) {
            // The log states no end of background work.
            if let Some(start_ns) = start_ns.filter(|_| !slot.is_bare) {
                self.open_commands.end(ticket, start_ns);
            }
            return;
        }
        let (pid, mut request) = (slot.command.pid, slot.command.request.clone());
        let again = self.open_commands.add(pid, self.start.line, sink);
        self.open_commands.begin(again, &mut request, start_ns, sink);
        self.state = State::Body(again);
        if let Some(slot) = self.open_commands.get(again) {
            slot.is_tracked = true;
            self.part.begin(&slot.command);
        }
        self.open_commands.end(again, start_ns.unwrap_or(self.now_ns));
    }

    pub(super) fn trigger_lapse(&mut self, lapse: &[u8]) -> bool {
        let State::Body(ticket) = self.state else {
            return false;
        };
        let lapse_ns = crate::units::numbers::seconds_ns(lapse);
        let slot = self.open_commands.get(ticket);
        let Some(trigger) = slot.and_then(|slot| slot.command.triggers.last_mut()) else {
            return false;
        };
        if trigger.lapse_ns.is_none() {
            trigger.lapse_ns = lapse_ns;
        }
        lapse_ns.is_some()
    }
}
