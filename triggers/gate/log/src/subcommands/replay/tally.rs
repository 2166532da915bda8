//! Statistics of one rule in a replay.

use super::names::{Names, update_entry};
use super::saved_usage::SavedUsage;
use crate::record::command::Command;
use p4warden_gate::judge::command_outcome::{Judgement, Verdict};
use std::collections::{BTreeMap, HashMap};

const QUARTER_NS: u64 = 900 * 1_000_000_000;

#[derive(Debug, Default)]
pub struct Tally {
    /// Commands that the rule covers, or may cover depending on arguments not in the log.
    pub judged_count: u64,
    /// In the order of `Verdict`.
    pub verdicts: [u64; 5],
    /// Commands not allowed that an exemption might spare if the groups of their user were known;
    /// counted only if they are not.
    pub hang_on_groups: u64,
    /// Of commands that no rule refuses; a longer delay by another rule counts in full.
    pub delayed_ns: u64,
    pub effect_if_enforced: EffectIfEnforced,
    /// First and last hit in reading order, in nanoseconds since the Unix epoch.
    pub times_ns: Option<(u64, u64)>,
    // Hits: commands that the rule would stop or delay.
    pub users: HashMap<Vec<u8>, User>,
    pub clients: Names,
    pub programs: Names,
    /// Empty for a policy without classes.
    pub classes: Names,
    /// Commands that the rule cannot judge, by command and form.
    pub unknown_forms: Names,
    /// Commands that the rule would stop or delay, by the key of their known offender.
    pub offenders: Names,
    /// By the number of the quarter-hour since the Unix epoch.
    pub quarters: BTreeMap<u64, u64>,
    /// Of the commands that the rule would refuse.
    pub saved_usage: SavedUsage,
}

/// Of commands that the rule only observes, if it alone were enforced.
#[derive(Debug, Default, Clone, Copy)]
pub struct EffectIfEnforced {
    pub delay_count: u64,
    pub delay_ns: u64,
    pub refusal_count: u64,
}

impl EffectIfEnforced {
    /// Of a command that the rule only observes.
    pub fn note(&mut self, judgement: &Judgement<'_>) {
        match judgement.observes() {
            Some(Verdict::Delay) => {
                self.delay_count += 1;
                let wait_ns = judgement.wait_ns().unwrap_or(0);
                self.delay_ns = self.delay_ns.saturating_add(wait_ns);
            }
            Some(Verdict::Refuse) => self.refusal_count += 1,
            _ => {}
        }
    }
}

#[derive(Debug, Default, Clone)]
pub struct User {
    pub hit_count: u64,
    pub first_ns: u64,
    pub last_ns: u64,
    pub longest_streak: Streak,
    current_streak: Streak,
}

/// A user's hits, consecutive among the commands that the rule covers.
#[derive(Debug, Default, Clone, Copy)]
pub struct Streak {
    pub count: u64,
    pub from_ns: u64,
    pub until_ns: u64,
}

impl Tally {
    /// `user` is in lower case if the server ignores case.
    pub fn note(&mut self, verdict: Verdict, user: &[u8], command: &Command, now_ns: u64) {
        self.judged_count += 1;
        if let Some(count) = self.verdicts.get_mut(verdict as usize) {
            *count += 1;
        }
        if !is_hit(verdict) {
            if let Some(user) = self.users.get_mut(user) {
                user.current_streak.count = 0;
            }
            return;
        }
        let (first_ns, _) = self.times_ns.unwrap_or((now_ns, now_ns));
        self.times_ns = Some((first_ns, now_ns));
        update_entry(&mut self.users, user, |user| user.note(now_ns));
        self.clients.note(command.request.client());
        self.programs.note(command.request.prog());
        *self.quarters.entry(now_ns / QUARTER_NS).or_default() += 1;
    }
}

impl User {
    fn note(&mut self, now_ns: u64) {
        if self.hit_count == 0 {
            self.first_ns = now_ns;
        }
        (self.hit_count, self.last_ns) = (self.hit_count + 1, now_ns);
        if self.current_streak.count == 0 {
            self.current_streak.from_ns = now_ns;
        }
        (self.current_streak.count, self.current_streak.until_ns) =
            (self.current_streak.count + 1, now_ns);
        if self.current_streak.count > self.longest_streak.count {
            self.longest_streak = self.current_streak;
        }
    }
}

/// Whether the rule stops or delays the command, or would if it were enforced.
pub fn is_hit(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Observe | Verdict::Delay | Verdict::Refuse)
}
