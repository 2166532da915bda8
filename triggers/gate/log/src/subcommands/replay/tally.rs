//! Statistics of one rule in a replay: how many commands it stops or delays, or would if enforced,
//! of which users, and when.

use super::names::{Names, update_entry};
use super::saved_usage::SavedUsage;
use crate::record::command::Command;
use p4warden_gate::rules::outcome::{Judgement, Verdict};
use std::collections::{BTreeMap, HashMap};

const QUARTER_NS: u64 = 900 * 1_000_000_000;

/// Statistics of the verdicts that one rule gives in a replay.
#[derive(Debug, Default)]
pub struct Tally {
    /// Number of commands of the log that the rule covers, or may cover depending on arguments that
    /// the log does not state.
    pub judged_count: u64,
    /// Number of commands for each verdict of the rule, in the order of `Verdict`.
    pub verdicts: [u64; 5],
    /// Number of commands to which the rule gives another verdict than `Allow`, but which an
    /// exemption would spare if their user were in a group that the exemption names; counted only
    /// if the replay does not know the users' groups.
    pub hang_on_groups: u64,
    /// Total time in nanoseconds that the commands that the rule delays and no rule refuses have to
    /// wait; a longer delay by another rule counts in full.
    pub delayed_ns: u64,
    /// Delays and refusals that the rule would cause, if it alone were enforced, of commands that
    /// it only observes.
    pub effect_if_enforced: EffectIfEnforced,
    /// Times of the first and the last command, in the order of reading, that the rule would stop
    /// or delay, in nanoseconds since the Unix epoch; None if there is none.
    pub times_ns: Option<(u64, u64)>,
    /// Effect of the rule on each user whose commands it would stop or delay, by user name.
    pub users: HashMap<Vec<u8>, User>,
    /// Number of commands that the rule would stop or delay, by name of the client (workspace).
    pub clients: Names,
    /// Number of commands that the rule would stop or delay, by client program.
    pub programs: Names,
    /// Number of commands that the rule would stop or delay, by the number of the quarter-hour
    /// since the Unix epoch.
    pub quarters: BTreeMap<u64, u64>,
    /// Resource usage, as logged, of the commands that the rule would refuse.
    pub saved_usage: SavedUsage,
}

/// Delays and refusals that a rule would cause in the replay, if it alone were enforced, of
/// commands that it only observes.
#[derive(Debug, Default, Clone, Copy)]
pub struct EffectIfEnforced {
    /// Number of commands of the replay that the rule only observes and would delay if it alone
    /// were enforced.
    pub delay_count: u64,
    /// Total time in nanoseconds by which the rule would delay commands of the replay that it only
    /// observes, if it alone were enforced.
    pub delay_ns: u64,
    /// Number of commands of the replay that the rule only observes and would refuse if it alone
    /// were enforced.
    pub refusal_count: u64,
}

impl EffectIfEnforced {
    /// If the rule only observes a command, adds the delay or refusal that it would cause if it
    /// alone were enforced.
    pub fn note(&mut self, judgement: &Judgement<'_>) {
        match judgement.observes() {
            Some(Verdict::Delay) => {
                self.delay_count += 1;
                let wait_ns = judgement.wait_ns().unwrap_or(0);
                self.delay_ns = self.delay_ns.saturating_add(wait_ns);
            }
            Some(_) => self.refusal_count += 1,
            None => {}
        }
    }
}

/// Effect of one rule on one user in a replay.
#[derive(Debug, Default, Clone)]
pub struct User {
    /// Number of the user's commands that the rule would have stopped or delayed.
    pub hit_count: u64,
    /// Time in the log of the user's first command that the rule would stop or delay, in
    /// nanoseconds since the Unix epoch.
    pub first_ns: u64,
    /// Time in the log of the user's last command that the rule would stop or delay, in nanoseconds
    /// since the Unix epoch.
    pub last_ns: u64,
    /// The user's longest sequence of commands that the rule would stop or delay, consecutive among
    /// those that the rule covers.
    pub longest_streak: Streak,
    current_streak: Streak,
}

/// A sequence of one user's commands that a rule would stop or delay, consecutive among those
/// commands of the user that the rule covers.
#[derive(Debug, Default, Clone, Copy)]
pub struct Streak {
    /// Number of commands in a user's sequence of consecutive commands that a rule would stop or
    /// delay.
    pub count: u64,
    /// Time of the first command in a user's sequence of consecutive commands that a rule would
    /// stop or delay, in nanoseconds since the Unix epoch.
    pub from_ns: u64,
    /// Time of the last command in a user's sequence of consecutive commands that a rule would stop
    /// or delay, in nanoseconds since the Unix epoch.
    pub until_ns: u64,
}

impl Tally {
    /// Adds the rule's verdict on a command to the statistics; `user` is the user's name, in lower
    /// case if the server ignores case.
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

/// Whether a verdict is `Refuse`, `Delay` or `Observe`: the rule stops or delays the command, or
/// would if it were enforced.
#[must_use]
pub fn is_hit(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Observe | Verdict::Delay | Verdict::Refuse)
}
