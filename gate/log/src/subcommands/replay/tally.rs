//! The simulated effect of one rule: how often, on which users, when.

use super::names::{Names, at};
use super::saved::Saved;
use crate::record::command::Command;
use p4warden_gate::rules::outcome::{Judgement, Verdict};
use std::collections::{BTreeMap, HashMap};

const QUARTER_NS: u64 = 900 * 1_000_000_000;

/// One rule's verdicts.
#[derive(Debug, Default)]
pub struct Tally {
    /// Commands that the rule is about.
    pub judged: u64,
    /// How many it would have stopped or delayed, or would stop if it were enforced, or cannot
    /// tell: in the order of `Verdict`.
    pub verdicts: [u64; 5],
    /// How many of those would pass by an exemption if their user were in a group.
    pub hang_on_groups: u64,
    /// For how long it would have delayed.
    pub delayed_ns: u64,
    /// Its effect on those that it only observed, if it alone were switched on: how many it would
    /// delay, and for how long, and how many it would refuse.
    pub would: Would,
    /// When it would have acted first and last.
    pub times_ns: Option<(u64, u64)>,
    /// The users concerned.
    pub users: HashMap<Vec<u8>, User>,
    /// From which clients.
    pub clients: Names,
    /// With which programs.
    pub programs: Names,
    /// At which quarters of an hour since the epoch.
    pub quarters: BTreeMap<u64, u64>,
    /// Usage of the stopped commands.
    pub saved: Saved,
}

/// The effect that a rule that only observes would have.
#[derive(Debug, Default, Clone, Copy)]
pub struct Would {
    /// How many commands it would delay.
    pub delay: u64,
    /// For how long, all together.
    pub delay_ns: u64,
    /// How many it would refuse.
    pub refuse: u64,
}

impl Would {
    /// Counts its would-be effect on a command.
    pub fn note(&mut self, judgement: &Judgement<'_>) {
        match judgement.observes() {
            Some(Verdict::Delay) => {
                self.delay += 1;
                let wait_ns = judgement.wait_ns().unwrap_or(0);
                self.delay_ns = self.delay_ns.saturating_add(wait_ns);
            }
            Some(_) => self.refuse += 1,
            None => {}
        }
    }
}

/// Effect of one rule on one user.
#[derive(Debug, Default, Clone)]
pub struct User {
    /// How many commands would have been stopped or delayed.
    pub hit: u64,
    /// When first and last.
    pub first_ns: u64,
    /// See above.
    pub last_ns: u64,
    /// The longest run of such commands with none between that passed.
    pub longest: Streak,
    now: Streak,
}

/// A run of commands that would have been stopped.
#[derive(Debug, Default, Clone, Copy)]
pub struct Streak {
    /// How many.
    pub count: u64,
    /// From when.
    pub from_ns: u64,
    /// Until when.
    pub until_ns: u64,
}

impl Tally {
    /// Counts a verdict on a command of a user, whose name is as the server compares it.
    pub fn note(&mut self, verdict: Verdict, user: &[u8], command: &Command, now_ns: u64) {
        self.judged += 1;
        if let Some(count) = self.verdicts.get_mut(verdict as usize) {
            *count += 1;
        }
        if !is_hit(verdict) {
            if let Some(user) = self.users.get_mut(user) {
                user.now.count = 0;
            }
            return;
        }
        let (first_ns, _) = self.times_ns.unwrap_or((now_ns, now_ns));
        self.times_ns = Some((first_ns, now_ns));
        at(&mut self.users, user, |user| user.note(now_ns));
        self.clients.note(command.request.client());
        self.programs.note(command.request.prog());
        *self.quarters.entry(now_ns / QUARTER_NS).or_default() += 1;
    }
}

impl User {
    fn note(&mut self, now_ns: u64) {
        if self.hit == 0 {
            self.first_ns = now_ns;
        }
        (self.hit, self.last_ns) = (self.hit + 1, now_ns);
        if self.now.count == 0 {
            self.now.from_ns = now_ns;
        }
        (self.now.count, self.now.until_ns) = (self.now.count + 1, now_ns);
        if self.now.count > self.longest.count {
            self.longest = self.now;
        }
    }
}

/// Whether a command would have been stopped, or delayed, or would be if the rule were enforced.
#[must_use]
pub fn is_hit(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Observe | Verdict::Delay | Verdict::Refuse)
}
