//! Decisions of which the gate only kept the number, the time of the last, user, rule and verdict.

use super::decision::Decision;
use super::names::Name;
use std::collections::HashMap;

/// All else is taken from the last full line about the same user, rule and verdict that is as
/// unusual; without such a line a decision stays as it is.
#[derive(Debug, Default)]
pub(super) struct Completion {
    full: HashMap<(Name, Name, usize, Name, bool), Decision>,
}

impl Completion {
    pub fn completed(&mut self, one: Decision) -> Decision {
        let key = (one.user, one.rule, one.verdict, one.would, one.is_unusual);
        if !is_only_counted(&one) {
            if !one.is_trial {
                self.full.insert(key, one);
            }
            return one;
        }
        let Some(full) = self.full.get(&key) else { return one };
        Decision { time_s: one.time_s, times: one.times, took_s: None, ..*full }
    }
}

fn is_only_counted(one: &Decision) -> bool {
    let others = [one.prog, one.client, one.ip, one.spec_or_client, one.fault, one.trouble];
    one.took_s.is_none() && one.what == one.event && !others.iter().any(|name| name.is_given())
}
