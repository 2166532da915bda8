//! Estimated effect of a rule that delays on processes that really wait.
//!
//! A log tells when commands came that nobody held up. A process that waits sends its next command
//! later, so it asks for less in the same time. Here one process is one user, client, address and
//! program: each of its commands comes as much later as those before it have waited, and a pause of
//! a minute or more takes up the delay. Commands that a process sent side by side count as one
//! after the other, for a log of whole seconds does not tell them apart.

use super::groups::Groups;
use super::policy_run::event_of;
use super::tally::is_hit;
use crate::record::request::Request;
use p4warden_gate::base::clock::day;
use p4warden_gate::event::split_line::Split;
use p4warden_gate::offline::judge::Judge;
use p4warden_gate::rules::outcome::Verdict;
use std::cmp::Reverse;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::hash::{Hash, Hasher};

/// A pause from which on a process is no longer late.
const PAUSE_NS: u64 = 60_000_000_000;
/// So many commands, and bytes of theirs, are held until their time comes.
const MAX_HELD: usize = 1 << 18;
const MAX_HELD_BYTES: usize = 64 << 20;

/// The same log again, with one policy and processes that wait.
pub struct Estimate<'p> {
    judge: Judge<'p>,
    zone: tz::TimeZone,
    /// Effect of each rule, by its name.
    pub rules: BTreeMap<&'p str, Waited>,
    /// Commands that were left out, for too many were held.
    pub left_out: u64,
    processes: HashMap<u64, Process>,
    /// When the next command of each late process comes.
    due: BinaryHeap<Reverse<(u64, u64)>>,
    held: usize,
    held_bytes: usize,
}

/// Effect of a rule.
#[derive(Debug, Default, Clone, Copy)]
pub struct Waited {
    /// How often it gave each verdict that stops or delays, or would, in the order of `Verdict`.
    pub verdicts: [u64; 5],
    /// For how long it delayed, all together.
    pub delayed_ns: u64,
}

#[derive(Default)]
struct Process {
    late_ns: u64,
    last_ns: u64,
    held: VecDeque<(u64, Request)>,
}

impl<'p> Estimate<'p> {
    /// Starts with no rates.
    #[must_use]
    pub fn new(judge: Judge<'p>, zone: tz::TimeZone) -> Self {
        Estimate {
            judge,
            zone,
            rules: BTreeMap::new(),
            left_out: 0,
            processes: HashMap::new(),
            due: BinaryHeap::new(),
            held: 0,
            held_bytes: 0,
        }
    }

    /// Takes in a command that began in the log; `groups` as the log's own reckoning has them.
    pub fn begun(&mut self, request: &Request, start_ns: u64, groups: Option<&Groups>) {
        self.catch_up(start_ns, groups);
        let number = process_of(request);
        let process = self.processes.entry(number).or_default();
        if process.held.is_empty() {
            process.rest(start_ns);
            if process.late_ns == 0 {
                let waited_ns = self.judge(request, start_ns, groups);
                self.wait(number, waited_ns);
                return;
            }
        }
        if self.held >= MAX_HELD || self.held_bytes >= MAX_HELD_BYTES {
            self.left_out += 1;
            return;
        }
        self.hold(number, request.clone(), start_ns);
    }

    /// Lets all the commands come that are held still.
    pub fn finish(&mut self, groups: Option<&Groups>) {
        self.catch_up(u64::MAX, groups);
    }

    /// Lets the commands come whose time is over by now.
    fn catch_up(&mut self, now_ns: u64, groups: Option<&Groups>) {
        while let Some(Reverse((due_ns, number))) = self.due.peek().copied() {
            if due_ns > now_ns {
                return;
            }
            self.due.pop();
            let process = self.processes.get_mut(&number);
            let Some((_, request)) = process.and_then(|process| process.held.pop_front()) else {
                continue;
            };
            self.held -= 1;
            self.held_bytes -= request.text().len();
            let waited_ns = self.judge(&request, due_ns, groups);
            self.wait(number, waited_ns);
        }
    }

    fn hold(&mut self, number: u64, request: Request, start_ns: u64) {
        self.held += 1;
        self.held_bytes += request.text().len();
        let process = self.processes.entry(number).or_default();
        process.held.push_back((start_ns, request));
        if process.held.len() == 1 {
            self.due.push(Reverse((start_ns.saturating_add(process.late_ns), number)));
        }
    }

    /// Makes a process late, and says when its next command comes.
    fn wait(&mut self, number: u64, waited_ns: u64) {
        let process = self.processes.entry(number).or_default();
        process.late_ns = process.late_ns.saturating_add(waited_ns);
        if let Some(start_ns) = process.held.front().map(|(start_ns, _)| *start_ns) {
            process.rest(start_ns);
            self.due.push(Reverse((start_ns.saturating_add(process.late_ns), number)));
        }
    }

    /// Judges a command at its time; returns for how long it has to wait.
    fn judge(&mut self, request: &Request, now_ns: u64, groups: Option<&Groups>) -> u64 {
        let day = || day(now_ns, self.zone.as_ref());
        let (depots, case_sensitive) = self.judge.facts();
        let event = event_of(request, groups, depots, case_sensitive, &day);
        let Some(event) = event else { return 0 };
        let split = Split::of(&event);
        let event = match &split {
            Some(split) => split.event(event),
            None => event,
        };
        let outcome = self.judge.decide(&event, now_ns);
        for judgement in outcome.judgements.iter().filter(|judged| is_hit(judged.verdict)) {
            let waited = self.rules.entry(judgement.rule).or_default();
            if let Some(count) = waited.verdicts.get_mut(judgement.verdict as usize) {
                *count += 1;
            }
            if judgement.verdict == Verdict::Delay {
                let wait_ns = judgement.wait_ns().unwrap_or(0);
                waited.delayed_ns = waited.delayed_ns.saturating_add(wait_ns);
            }
        }
        let delayed = outcome.verdict == Verdict::Delay;
        outcome.wait_ns().filter(|_| delayed).unwrap_or(0)
    }
}

impl Process {
    /// Takes a pause before a command into account.
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
