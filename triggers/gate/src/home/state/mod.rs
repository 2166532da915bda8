//! The file `state` in the home folder: request rates, counters, waiting requests, the commands that
//! run at once, and the numbers of decisions not yet logged.
//!
//! The file is read and written with `pread` and `pwrite` under one kernel lock (`flock`), which
//! the kernel releases when its holder dies. The holder first checks the file's length and header
//! and, if they are invalid, recreates the file in place. A damaged page of rates, commands or
//! unlogged decisions is a fault of the event that reads it, and makes the header invalid. Bytes
//! read before the lock was taken are not trusted.

mod entry;
mod header;
mod layout;
mod notes;
mod pieces;
mod queues;
mod rate_slot;
mod table;
mod waiting_pools;

pub use entry::{MANY_FORMS, MANY_USERS, Note, PendingDecisions};
pub use header::{COUNTERS, Counter};
pub use layout::Layout;
pub use notes::LogTime;

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::json::object_text;
use crate::base::text::seconds;
use crate::contract::keys::{Key, Secret};
use crate::contract::rate_store::RateStore;
use crate::home::file_lock;
use crate::home::folder::{DECISIONS, Home, STATE, TrustedFile};
use crate::home::processes::is_alive;
use crate::rate::queue::{Arrival, Ends, Process, Start};
use crate::rate::waiting_slots::{SlotPool, SlotShortage, WaitingSlot};
use header::{Header, LockedState, of_machine};
use queues::RuleQueue;
use table::Table;

const DAMAGED: &str = "damaged, or of another release, so it is made anew: counters begin at zero, \
    and users may use their rates again";

/// The state file, locked until this value is dropped.
#[derive(Debug)]
pub struct State {
    open_file: TrustedFile,
    header: Header,
    table: Table,
    queues: Vec<RuleQueue>,
    now_ns: u64,
    wall_ns: u64,
}

impl State {
    /// Locks the state file for `act`, whose changes are written unless it fails.
    pub fn once<T>(
        home: &Home,
        clock: &impl Clock,
        act: impl FnOnce(&mut State) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut state = State::lock(home, Layout::default(), clock)?;
        let result = act(&mut state)?;
        state.finish()?;
        Ok(result)
    }

    /// Opens and locks the state file; an invalid or missing file is created anew, which is
    /// logged if it was not empty. A file that cannot be read is a fault.
    pub fn lock(home: &Home, layout: Layout, clock: &impl Clock) -> Result<Self, Fault> {
        let open_file = file_lock::lock(home, STATE)?;
        open_file.allow_length(layout.bytes())?;
        // The clock is read while the state file is locked, so that times are stored in the order
        // in which they were read.
        let (boot_ns, wall_ns) = (clock.since_boot_ns(), clock.wall_ns());
        let (header, now_ns) = match Header::read(&open_file, layout)? {
            Some(mut header) => {
                let now_ns = header.notice_a_new_start(boot_ns, clock);
                (header, now_ns)
            }
            None => {
                log_damage(home, &open_file, wall_ns);
                let now_ns = of_machine(boot_ns, clock);
                (lay_out(&open_file, layout, now_ns, clock)?, now_ns)
            }
        };
        let (table, queues) = Default::default();
        Ok(State { open_file, header, table, queues, now_ns, wall_ns })
    }

    /// When this process locked the file, since the machine started: the time of its decision.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// `finish` stores it.
    pub fn count(&mut self, counter: Counter) {
        self.header.count(counter);
    }

    /// In the order of `COUNTERS`.
    pub fn counts(&self) -> [u64; COUNTERS.len()] {
        self.header.counts
    }

    pub fn note(&mut self, note: &Note<'_>) -> Result<LogTime, Fault> {
        let log_time = notes::note(self.locked(self.now_ns), note)?;
        Ok(log_time.unwrap_or_else(|| {
            self.header.count(Counter::Unlogged);
            LogTime::Later
        }))
    }

    /// Counted and not yet in the decision log; one entry for each verdict, rule and user.
    pub fn pending(&self) -> Result<Vec<PendingDecisions>, Fault> {
        notes::pending(self.locked(self.now_ns))
    }

    /// The number of commands that wait before one that has entered; None if it may run.
    pub fn waiting_before(&mut self, one: &Arrival) -> Result<Option<usize>, Fault> {
        let now_ns = self.now_ns;
        let Ends::With(process) = one.ends else { return Ok(None) };
        let queue = &mut self.queue(one.rule)?.queue;
        queue.go_on(one, now_ns, &is_alive);
        Ok(queue.waiting_before(process))
    }

    /// The numbers of a rule's commands that run and that wait.
    pub fn at_once(&mut self, rule: u64) -> Result<[u64; 2], Fault> {
        let now_ns = self.now_ns;
        Ok(self.queue(rule)?.queue.sizes(now_ns, &is_alive))
    }

    /// Counts a command no longer that has entered.
    pub fn leave(&mut self, one: &Arrival) -> Result<(), Fault> {
        if let Ends::With(process) = one.ends {
            self.queue(one.rule)?.queue.remove(process);
        }
        Ok(())
    }

    /// Counts the commands of a process no longer, whatever their rules.
    pub fn end(&mut self, process: Process) -> Result<(), Fault> {
        self.queues = RuleQueue::all(self.locked(self.now_ns))?;
        self.queues.iter_mut().for_each(|queue| queue.queue.remove(process));
        Ok(())
    }

    fn queue(&mut self, rule: u64) -> Result<&mut RuleQueue, Fault> {
        let index = self.queues.iter().position(|queue| queue.rule == rule);
        if index.is_none() {
            let queue = RuleQueue::read(self.locked(self.now_ns), rule)?;
            self.queues.push(queue);
        }
        let index = index.unwrap_or(self.queues.len() - 1);
        self.queues.get_mut(index).ok_or_else(|| Fault::new("a queue was not read"))
    }

    fn locked(&self, now_ns: u64) -> LockedState<'_> {
        LockedState {
            open_file: &self.open_file,
            header: &self.header,
            now_ns,
            wall_ns: self.wall_ns,
        }
    }

    /// Writes what changed, and releases the lock.
    pub fn finish(mut self) -> Result<(), Fault> {
        let State { open_file, header, table, now_ns, wall_ns, .. } = &mut self;
        table.write(LockedState { open_file, header, now_ns: *now_ns, wall_ns: *wall_ns })?;
        for queue in &self.queues {
            queue.write(self.locked(self.now_ns))?;
        }
        self.open_file.write(&self.header.to_bytes(), 0)
    }
}

impl RateStore for State {
    type Fault = Fault;

    fn secret(&self) -> Secret {
        self.header.secret
    }

    fn stored_ns(&mut self, key: Key, horizon_ns: u64, now_ns: u64) -> Result<u64, Fault> {
        let State { open_file, header, wall_ns, .. } = self;
        let file = LockedState { open_file, header, now_ns, wall_ns: *wall_ns };
        let stored_ns = self.table.stored_ns(file, key)?;
        if stored_ns > horizon_ns {
            self.header.count(Counter::Stale);
            return Ok(0);
        }
        Ok(stored_ns)
    }

    fn keep(&mut self, key: Key, until_ns: u64, now_ns: u64) -> Result<(), Fault> {
        let State { open_file, header, wall_ns, .. } = self;
        let file = LockedState { open_file, header, now_ns, wall_ns: *wall_ns };
        if !self.table.keep(file, key, until_ns)? {
            self.header.count(Counter::Untracked);
        }
        Ok(())
    }

    fn wait(
        &mut self,
        pool: SlotPool,
        slot: WaitingSlot,
        now_ns: u64,
    ) -> Result<Option<SlotShortage>, Fault> {
        waiting_pools::wait(self.locked(now_ns), pool, slot)
    }

    fn start(&mut self, one: &Arrival, now_ns: u64) -> Result<Start, Fault> {
        let Ends::With(process) = one.ends else { return Ok(Start::Now) };
        let rule_queue = self.queue(one.rule)?;
        rule_queue.queue.remove(process);
        if rule_queue.fills_its_pages() {
            rule_queue.queue.go_on(one, now_ns, &is_alive);
        }
        Ok(rule_queue.queue.start(one, now_ns, &is_alive))
    }

    fn enter(&mut self, one: &Arrival, runs: bool, now_ns: u64) -> Result<(), Fault> {
        let Ends::With(process) = one.ends else { return Ok(()) };
        let rule_queue = self.queue(one.rule)?;
        if !rule_queue.has_room() {
            self.header.count(Counter::Untracked);
            return Ok(());
        }
        rule_queue.queue.add(one, process, runs, now_ns);
        Ok(())
    }
}

/// Logged before the file is emptied, so that no death in between hides it. Its number is counted in
/// the new file.
fn log_damage(home: &Home, open_file: &TrustedFile, wall_ns: u64) {
    if open_file.bytes > 0 {
        let line = object_text(|record| {
            record.raw("time", &seconds(wall_ns / 1_000_000 * 1_000_000)).text("verdict", "fault");
            record.text("fault", &open_file.fault(&DAMAGED).to_string());
        });
        let log = home.open_to_append(DECISIONS);
        let _ = log.and_then(|log| log.append(&format!("{line}\n")));
    }
}

/// Empties the state file and writes a new header; the file is sparse, so that only its first block
/// occupies disk space.
fn lay_out(
    open_file: &TrustedFile,
    layout: Layout,
    now_ns: u64,
    clock: &impl Clock,
) -> Result<Header, Fault> {
    let mut header = Header::new(layout, now_ns, clock)?;
    if open_file.bytes > 0 {
        header.count(Counter::Recreated);
    }
    let resized = open_file.file.set_len(0).and_then(|()| open_file.file.set_len(layout.bytes()));
    resized.map_err(|error| open_file.fault(&error))?;
    open_file.write(&header.to_bytes(), 0)?;
    Ok(header)
}
