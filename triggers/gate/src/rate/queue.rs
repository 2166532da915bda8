//! The commands of one rule that run at once, and those that wait for the end of others, in the order
//! in which they came.
//!
//! Whoever looks lets all those run that no limit stops, the earliest first. So a command never runs
//! before an earlier one that could run, and a process that died while it waited holds up nobody.

use crate::rate::waiting_slots::{MOST, SlotShortage};

/// Of one rule.
pub const MOST_LIMITS: usize = 4;
/// Commands of one user that wait in one queue. Builds are often one user, so more than those that a
/// rate lets wait; the other half is left to other users.
pub const MOST_WAITING_OF_A_USER: usize = MOST / 2;

/// After which a command may be sent again that found no place, because nobody knows when others end.
pub const RETRY_NS: u64 = 10 * 1_000_000_000;

/// Of the server, for one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    /// In ticks of the kernel since the machine started. It tells the process from a later one with
    /// the same number.
    pub started: u64,
}

/// How the end of a command is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    #[default]
    Unknown,
    /// With the process, or with its next command.
    With(Process),
    /// After so many nanoseconds, as a log says.
    After(u64),
}

/// A command that is to run, as one rule sees it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Hash of the rule's name.
    pub rule: u64,
    /// What each limit counts by, as a hash, and how many it lets run; `(0, 0)` for no limit.
    pub limits: [(u64, u32); MOST_LIMITS],
    pub user: u64,
    pub ends: Ends,
    pub max_delay_ns: u64,
    /// The longest time for which it counts.
    pub max_age_ns: u64,
}

/// When a command may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Start {
    Now,
    Later(Later),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// The number of the limit that is reached, and of the commands that run.
    pub limit: usize,
    pub running: u64,
    /// None where it depends on the end of others.
    pub wait_ns: Option<u64>,
    pub shortage: Option<SlotShortage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub process: Process,
    pub runs: bool,
    /// Of a command that runs: until when it counts, if its process lasts.
    pub until_ns: u64,
    pub user: u64,
    pub keys: [u64; MOST_LIMITS],
}

impl Entry {
    fn counts(&self, now_ns: u64, is_alive: &dyn Fn(Process) -> bool) -> bool {
        (!self.runs || self.until_ns > now_ns) && is_alive(self.process)
    }
}

/// In the order of their arrival.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue(pub Vec<Entry>);

impl Queue {
    /// When a command that is not in the queue may run. The processes are asked only if it depends on
    /// them.
    pub fn start(
        &mut self,
        one: &Arrival,
        now_ns: u64,
        is_alive: &dyn Fn(Process) -> bool,
    ) -> Start {
        let all_run = self.0.iter().all(|entry| entry.runs);
        if !all_run || self.full_limit(one).is_some() {
            self.go_on(one, now_ns, is_alive);
        }
        match self.full_limit(one) {
            None => Start::Now,
            Some((limit, running)) => {
                let shortage = self.shortage(one.user, is_alive);
                Start::Later(Later { limit, running, wait_ns: None, shortage })
            }
        }
    }

    /// Removes the commands that have ended, and lets others run in their place.
    pub fn go_on(&mut self, one: &Arrival, now_ns: u64, is_alive: &dyn Fn(Process) -> bool) {
        self.0.retain(|entry| !entry.runs || entry.counts(now_ns, is_alive));
        let mut index = 0;
        while let Some(entry) = self.0.get(index).copied() {
            let mut limits = entry.keys.into_iter().zip(one.limits.map(|(_, at_most)| at_most));
            let begins = !entry.runs && limits.all(|(key, at_most)| !self.is_full(key, at_most));
            if begins && !is_alive(entry.process) {
                self.0.remove(index);
                continue;
            }
            if let Some(place) = self.0.get_mut(index).filter(|_| begins) {
                let until_ns = now_ns.saturating_add(one.max_age_ns);
                *place = Entry { runs: true, until_ns, ..entry };
            }
            index += 1;
        }
    }

    pub fn add(&mut self, one: &Arrival, process: Process, runs: bool, now_ns: u64) {
        let until_ns = now_ns.saturating_add(one.max_age_ns);
        let keys = one.limits.map(|(key, _)| key);
        self.0.push(Entry { process, runs, until_ns, user: one.user, keys });
    }

    /// The commands of a process; it has ended them if it starts another.
    pub fn remove(&mut self, process: Process) {
        self.0.retain(|entry| entry.process != process);
    }

    /// The numbers of those that run and of those that wait.
    pub fn sizes(&self, now_ns: u64, is_alive: &dyn Fn(Process) -> bool) -> [u64; 2] {
        let counting = || self.0.iter().filter(|entry| entry.counts(now_ns, is_alive));
        [true, false].map(|runs| counting().filter(|entry| entry.runs == runs).count() as u64)
    }

    /// The number of commands that wait before that of the process; None if that runs.
    pub fn waiting_before(&self, process: Process) -> Option<usize> {
        let mut waiting = self.0.iter().filter(|entry| !entry.runs);
        waiting.position(|entry| entry.process == process)
    }

    /// The number of the first limit that lets no further command run, and how many run.
    fn full_limit(&self, one: &Arrival) -> Option<(usize, u64)> {
        let mut limits = one.limits.iter().enumerate();
        let (number, (key, _)) = limits.find(|(_, (key, at_most))| self.is_full(*key, *at_most))?;
        Some((number, self.running(*key)))
    }

    fn is_full(&self, key: u64, at_most: u32) -> bool {
        at_most > 0 && self.running(key) >= u64::from(at_most)
    }

    fn running(&self, key: u64) -> u64 {
        self.0.iter().filter(|entry| entry.runs && entry.keys.contains(&key)).count() as u64
    }

    /// Those that died while they waited are removed where they would keep others from it.
    fn shortage(&mut self, user: u64, is_alive: &dyn Fn(Process) -> bool) -> Option<SlotShortage> {
        self.shortage_by_entries(user)?;
        self.0.retain(|entry| entry.runs || is_alive(entry.process));
        self.shortage_by_entries(user)
    }

    fn shortage_by_entries(&self, user: u64) -> Option<SlotShortage> {
        let waiting = || self.0.iter().filter(|entry| !entry.runs);
        let of_user = waiting().filter(|entry| entry.user == user).count();
        shortage(of_user, waiting().count())
    }
}

/// Why no further command of a user may wait.
pub fn shortage(of_user: usize, of_all: usize) -> Option<SlotShortage> {
    if of_user >= MOST_WAITING_OF_A_USER {
        return Some(SlotShortage::OfUser);
    }
    (of_all >= MOST).then_some(SlotShortage::OfAll)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const AT_MOST: [u32; 2] = [2, 3];
    const MAX_AGE_NS: u64 = 1_000;

    #[derive(Clone, Debug)]
    enum Step {
        /// A new process, perhaps with the number of one that has ended, or one that has sent others.
        Send {
            number: u32,
            user: u64,
        },
        End {
            number: u32,
        },
        /// Of a command that runs; the server tells it, and the process stays.
        Told {
            number: u32,
        },
        /// Of a command that waits.
        Look {
            number: u32,
        },
        /// It has waited for too long.
        Leave {
            number: u32,
        },
        Clock {
            step_ns: i64,
        },
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let number = || 1_u32..12;
        let step = prop_oneof![
            4 => (number(), 1_u64..4).prop_map(|(number, user)| Step::Send { number, user }),
            3 => number().prop_map(|number| Step::End { number }),
            2 => number().prop_map(|number| Step::Told { number }),
            3 => number().prop_map(|number| Step::Look { number }),
            1 => number().prop_map(|number| Step::Leave { number }),
            1 => (-50_i64..1_500).prop_map(|step_ns| Step::Clock { step_ns }),
        ];
        prop::collection::vec(step, 1..120)
    }

    /// What really happens, beside the queue that p4warden keeps.
    #[derive(Default)]
    struct Server {
        queue: Queue,
        now_ns: u64,
        starts: u64,
        alive: BTreeMap<u32, Process>,
        /// Those that may run, by process: the user, and until when they count.
        running: BTreeMap<u32, (u64, u64)>,
        /// Those that wait, in the order of their arrival.
        waiting: Vec<(u32, u64)>,
    }

    impl Server {
        fn arrival(process: Process, user: u64) -> Arrival {
            let limits = [(user, AT_MOST[0]), (u64::MAX, AT_MOST[1]), (0, 0), (0, 0)];
            let ends = Ends::With(process);
            Arrival { rule: 1, limits, user, ends, max_delay_ns: 1, max_age_ns: MAX_AGE_NS }
        }

        fn take(&mut self, step: &Step) {
            match *step {
                Step::Send { number, user } => self.send(number, user),
                Step::End { number } => {
                    self.alive.remove(&number);
                    self.running.remove(&number);
                    self.waiting.retain(|(other, _)| *other != number);
                }
                Step::Told { number } => {
                    let told =
                        self.alive.get(&number).filter(|_| self.running.contains_key(&number));
                    if let Some(process) = told {
                        self.queue.remove(*process);
                        self.running.remove(&number);
                    }
                }
                Step::Look { number } => self.look(number),
                Step::Leave { number } => {
                    let is_waiting = self.waiting.iter().any(|(other, _)| *other == number);
                    self.look(number);
                    let still = self.waiting.iter().any(|(other, _)| *other == number);
                    if let Some(process) = self.alive.get(&number).filter(|_| is_waiting && still) {
                        self.queue.remove(*process);
                        self.waiting.retain(|(other, _)| *other != number);
                    }
                }
                Step::Clock { step_ns } => self.now_ns = self.now_ns.saturating_add_signed(step_ns),
            }
            self.running.retain(|_, (_, until_ns)| *until_ns > self.now_ns);
        }

        fn send(&mut self, number: u32, user: u64) {
            if self.waiting.iter().any(|(other, _)| *other == number) {
                return;
            }
            self.starts += 1;
            let new = Process { id: number, started: self.starts };
            let process = *self.alive.entry(number).or_insert(new);
            self.running.remove(&number);
            let one = Self::arrival(process, user);
            let alive = self.alive.clone();
            let is_alive = |one: Process| alive.get(&one.id) == Some(&one);
            self.queue.remove(process);
            let runs = self.queue.start(&one, self.now_ns, &is_alive) == Start::Now;
            self.queue.add(&one, process, runs, self.now_ns);
            if runs {
                self.running.insert(number, (user, self.until_ns(process)));
            } else {
                self.waiting.push((number, user));
            }
        }

        fn look(&mut self, number: u32) {
            let found = self.waiting.iter().find(|(other, _)| *other == number);
            let Some((process, user)) =
                self.alive.get(&number).copied().zip(found.map(|(_, user)| *user))
            else {
                return;
            };
            let alive = self.alive.clone();
            let is_alive = |one: Process| alive.get(&one.id) == Some(&one);
            self.queue.go_on(&Self::arrival(process, user), self.now_ns, &is_alive);
            if self.queue.waiting_before(process).is_none() {
                self.waiting.retain(|(other, _)| *other != number);
                self.running.insert(number, (user, self.until_ns(process)));
            }
        }

        /// 0 for a command that runs no longer than it may count.
        fn until_ns(&self, process: Process) -> u64 {
            let entry = self.queue.0.iter().find(|entry| entry.process == process);
            entry.map_or(0, |entry| entry.until_ns)
        }

        fn running(&self, user: Option<u64>) -> usize {
            let of_user = |one: &&(u64, u64)| user.is_none_or(|user| user == one.0);
            self.running.values().filter(of_user).count()
        }
    }

    proptest! {
        #[test]
        fn never_too_many_run_and_whoever_waits_gets_a_turn(steps in steps()) {
            let mut server = Server::default();
            for step in &steps {
                server.take(step);
                prop_assert!(server.running(None) <= AT_MOST[1] as usize, "{step:?}");
                for user in 1..4 {
                    prop_assert!(server.running(Some(user)) <= AT_MOST[0] as usize, "{step:?}");
                }
            }
            for _ in 0..20 {
                for (number, _) in server.waiting.clone() {
                    server.look(number);
                }
                if let Some(number) = server.running.keys().next().copied() {
                    server.take(&Step::End { number });
                }
            }
            prop_assert!(server.waiting.is_empty(), "{:?}", server.waiting);
        }
    }

    #[test]
    fn those_that_died_while_they_waited_keep_nobody_from_waiting() {
        let process = |id| Process { id, started: 1 };
        let one = |id| Server::arrival(process(id), 1);
        let mut queue = Queue::default();
        for id in 1..=2 + MOST_WAITING_OF_A_USER as u32 {
            queue.add(&one(id), process(id), id <= 2, 0);
        }
        let mut shortage =
            |is_alive: &dyn Fn(Process) -> bool| match queue.start(&one(99), 1, is_alive) {
                Start::Later(later) => later.shortage,
                Start::Now => panic!("two run"),
            };
        assert_eq!(shortage(&|_| true), Some(SlotShortage::OfUser));
        assert_eq!(shortage(&|one| one.id != 9), None);
    }

    #[test]
    fn an_earlier_command_that_could_run_is_never_overtaken() {
        let process = |id| Process { id, started: 1 };
        let one = |id, user| Server::arrival(process(id), user);
        let mut queue = Queue::default();
        for id in 1..=3 {
            queue.add(&one(id, id.into()), process(id), true, 0);
        }
        queue.add(&one(4, 4), process(4), false, 0);
        let is_alive = |one: Process| one.id != 1;
        let start = queue.start(&one(5, 5), 1, &is_alive);
        assert!(matches!(start, Start::Later(later) if later.running == 3));
        assert_eq!(queue.waiting_before(process(4)), None);
    }
}
