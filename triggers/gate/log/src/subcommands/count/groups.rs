use super::decision::Decision;
use super::names::{Name, Names};
use super::sums::add;
use std::collections::{HashMap, HashSet};

/// Decisions that have a text in common, such as an exemption or the cause of a fault.
#[derive(Debug)]
pub(super) struct Group {
    pub times: u64,
    pub first_s: f64,
    pub last_s: f64,
    /// As far as the log names them.
    pub users: HashSet<Name>,
}

#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<Name, Group>);

impl Groups {
    pub fn add(&mut self, name: Name, one: &Decision) {
        let group = self.0.entry(name).or_insert_with(|| Group {
            times: 0,
            first_s: one.time_s,
            last_s: one.time_s,
            users: HashSet::new(),
        });
        add(&mut group.times, one.times);
        group.first_s = group.first_s.min(one.time_s);
        group.last_s = group.last_s.max(one.time_s);
        if one.user.is_given() {
            group.users.insert(one.user);
        }
    }

    pub fn most_first<'n>(&'n self, names: &'n Names) -> Vec<(&'n str, &'n Group)> {
        let mut groups: Vec<_> =
            self.0.iter().map(|(name, group)| (names.text(*name), group)).collect();
        groups.sort_by_key(|(name, group)| (std::cmp::Reverse(group.times), *name));
        groups
    }
}
