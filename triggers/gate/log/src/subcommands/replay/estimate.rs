//! A process that is delayed sends its next command later than the log states, and thus fewer
//! commands in the same time. Commands with the same user, client, address and program count as
//! those of one process, sent one after another. Each command is shifted by the delays of the
//! process's earlier ones; a pause of a minute or more in the log reduces the shift by its length.

use super::policy_run::{Origin, event_of};
use super::tally::is_hit;
use crate::record::request::Request;
use p4warden_gate::ask::judge::Judge;
use p4warden_gate::base::clock::day;
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::judge::command_outcome::Verdict;
use p4warden_gate::rate::queue::Ends;
use std::cmp::Reverse;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::hash::{Hash, Hasher};

const PAUSE_NS: u64 = 60_000_000_000;
/// Commands stored until their delayed start times; further ones are left out.
const MAX_HELD: usize = 1 << 18;
const MAX_HELD_BYTES: usize = 64 << 20;

pub struct Estimate<'p> {
    judge: Judge<'p>,
    zone: tz::TimeZone,
    pub rules: BTreeMap<String, RuleEffect>,
    pub omitted_count: u64,
    processes: HashMap<u64, Process>,
    /// Delayed start time and key of each process with stored commands, earliest first.
    next_commands: BinaryHeap<Reverse<(u64, u64)>>,
    held_count: usize,
    held_bytes: usize,
}

#[derive(Debug, Default, Clone, Copy)]
pub struct RuleEffect {
    /// In the order of `Verdict`; `Allow` and `Unknown` stay 0.
    pub verdicts: [u64; 5],
    pub delayed_ns: u64,
}

#[derive(Default)]
struct Process {
    late_ns: u64,
    last_ns: u64,
    waiting_commands: VecDeque<(u64, Request, Ends)>,
}

impl<'p> Estimate<'p> {
    pub fn new(judge: Judge<'p>, zone: tz::TimeZone) -> Self {
        Estimate {
            judge,
            zone,
            rules: BTreeMap::new(),
            omitted_count: 0,
            processes: HashMap::new(),
            next_commands: BinaryHeap::new(),
            held_count: 0,
            held_bytes: 0,
        }
    }

    /// First judges the stored commands that are due; then judges this command or, if its process
    /// is late, stores it for its delayed start time.
    pub fn begin(&mut self, request: &Request, origin: Origin<'_>) {
        let start_ns = origin.now_ns;
        self.catch_up(origin);
        let number = process_of(request);
        let process = self.processes.entry(number).or_default();
        if process.waiting_commands.is_empty() {
            process.rest(start_ns);
            if process.late_ns == 0 {
                let waited_ns = self.judge(request, origin);
                self.wait(number, waited_ns);
                return;
            }
        }
        if self.held_count >= MAX_HELD || self.held_bytes >= MAX_HELD_BYTES {
            self.omitted_count += 1;
            return;
        }
        self.hold(number, request.clone(), (start_ns, origin.ends));
    }

    /// At the end of the log, judges the commands that are still stored.
    pub fn finish(&mut self, origin: Origin<'_>) {
        self.catch_up(Origin { now_ns: u64::MAX, ..origin });
    }

    fn catch_up(&mut self, origin: Origin<'_>) {
        while let Some(Reverse((due_ns, number))) = self.next_commands.peek().copied() {
            if due_ns > origin.now_ns {
                return;
            }
            self.next_commands.pop();
            let process = self.processes.get_mut(&number);
            let Some((_, request, ends)) =
                process.and_then(|process| process.waiting_commands.pop_front())
            else {
                continue;
            };
            self.held_count -= 1;
            self.held_bytes -= request.text().len();
            let waited_ns = self.judge(&request, Origin { now_ns: due_ns, ends, ..origin });
            self.wait(number, waited_ns);
        }
    }

    fn hold(&mut self, number: u64, request: Request, (start_ns, ends): (u64, Ends)) {
        self.held_count += 1;
        self.held_bytes += request.text().len();
        let process = self.processes.entry(number).or_default();
        process.waiting_commands.push_back((start_ns, request, ends));
        if process.waiting_commands.len() == 1 {
            self.next_commands.push(Reverse((start_ns.saturating_add(process.late_ns), number)));
        }
    }

    /// Adds a delay to a process, and schedules its first stored command.
    fn wait(&mut self, number: u64, waited_ns: u64) {
        let process = self.processes.entry(number).or_default();
        process.late_ns = process.late_ns.saturating_add(waited_ns);
        if let Some(start_ns) = process.waiting_commands.front().map(|(start_ns, ..)| *start_ns) {
            process.rest(start_ns);
            self.next_commands.push(Reverse((start_ns.saturating_add(process.late_ns), number)));
        }
    }

    /// Returns the delay in nanoseconds.
    fn judge(&mut self, request: &Request, origin: Origin<'_>) -> u64 {
        let now_ns = origin.now_ns;
        let day = || day(now_ns, self.zone.as_ref());
        let (depots, case_sensitive) = self.judge.facts();
        let event = event_of(request, origin, depots, case_sensitive, &day);
        let Some(event) = event else { return 0 };
        let split = SplitLine::of(&event);
        let event = split.event(event);
        let outcome = self.judge.decide(&event, now_ns);
        for judgement in outcome.judgements.iter().filter(|judgement| is_hit(judgement.verdict)) {
            let effect = self.rules.entry(judgement.rule.to_owned()).or_default();
            if let Some(count) = effect.verdicts.get_mut(judgement.verdict as usize) {
                *count += 1;
            }
            if judgement.verdict == Verdict::Delay {
                let wait_ns = judgement.wait_ns().unwrap_or(0);
                effect.delayed_ns = effect.delayed_ns.saturating_add(wait_ns);
            }
        }
        let delayed = outcome.verdict == Verdict::Delay;
        outcome.wait_ns().filter(|_| delayed).unwrap_or(0)
    }
}

impl Process {
    /// A pause of at least `PAUSE_NS` reduces the time by which the process is late.
    fn rest(&mut self, start_ns: u64) {
        let pause_ns = start_ns.saturating_sub(self.last_ns);
        if pause_ns >= PAUSE_NS {
            self.late_ns = self.late_ns.saturating_sub(pause_ns);
        }
        self.last_ns = self.last_ns.max(start_ns);
    }
}

fn process_of(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    (request.user(), request.client(), request.ip(), request.prog()).hash(&mut hasher);
    hasher.finish()
}
