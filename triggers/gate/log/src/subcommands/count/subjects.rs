//! What each rule did to each user; without allowed events and faults.

use super::decision::{ALLOW, Decision};
use super::names::{Name, Names};
use super::sums::{add, total};
use std::cmp::Reverse;
use std::collections::HashMap;

pub(super) const FIELDS: [&str; 4] = ["what", "spec_or_client", "prog", "ip"];
/// Different values of a field; users choose names, so further ones are counted as `OTHERS`.
const MOST_VALUES: usize = 200;
const OTHERS: &str = "(others)";
/// Decisions of a line that stands for several and names neither command nor form.
const ONLY_COUNTED: &str = "(only counted)";

#[derive(Debug)]
pub(super) struct Subject {
    pub first_s: f64,
    pub last_s: f64,
    pub verdicts: [u64; ALLOW],
    /// By field of `FIELDS`, the first seen first.
    values: [Vec<(Name, u64)>; FIELDS.len()],
}

#[derive(Debug, Default)]
pub(super) struct Subjects(HashMap<(Name, Name), Subject>);

impl Subjects {
    pub fn add(&mut self, [rule, user]: [Name; 2], one: &Decision, names: &mut Names) {
        let subject = self.0.entry((rule, user)).or_insert_with(|| Subject {
            first_s: one.time_s,
            last_s: one.time_s,
            verdicts: [0; ALLOW],
            values: Default::default(),
        });
        if let Some(count) = subject.verdicts.get_mut(one.verdict) {
            add(count, one.times);
        }
        let values = [one.what, one.spec_or_client, one.prog, one.ip];
        for (counts, value) in subject.values.iter_mut().zip(values) {
            if value.is_given() {
                add_value(counts, value, one.times, names);
            }
        }
        subject.first_s = subject.first_s.min(one.time_s);
        subject.last_s = subject.last_s.max(one.time_s);
    }

    pub fn most_first<'n>(&'n self, names: &'n Names) -> Vec<([&'n str; 2], &'n Subject)> {
        let texts = |(rule, user)| [names.text(rule), names.text(user)];
        let mut subjects: Vec<_> = self.0.iter().map(|(key, one)| (texts(*key), one)).collect();
        subjects.sort_by_key(|([rule, user], one)| (*rule, Reverse(total(one.verdicts)), *user));
        subjects
    }
}

impl Subject {
    /// By field of `FIELDS`.
    pub fn values<'n>(&self, names: &'n Names) -> [Vec<(&'n str, u64)>; FIELDS.len()] {
        let mut values = self
            .values
            .each_ref()
            .map(|counts| counts.iter().map(|(name, count)| (names.text(*name), *count)).collect());
        if let Some(what) = values.first_mut() {
            name_bare_events(what);
        }
        values
    }
}

fn add_value(counts: &mut Vec<(Name, u64)>, value: Name, times: u64, names: &mut Names) {
    let is_new = !counts.iter().any(|(name, _)| *name == value);
    let name = if is_new && counts.len() >= MOST_VALUES { names.of(OTHERS) } else { value };
    match counts.iter_mut().find(|(other, _)| *other == name) {
        Some((_, count)) => add(count, times),
        None => counts.push((name, times)),
    }
}

/// Bare events count with the only name, together beside several, alone without any.
fn name_bare_events(what: &mut Vec<(&str, u64)>) {
    let is_bare =
        |name: &str| name == "command" || name.starts_with("form-") && !name.contains(' ');
    let (bare, mut named): (Vec<_>, Vec<_>) = what.iter().partition(|(name, _)| is_bare(name));
    let only_counted = total(bare.into_iter().map(|(_, count)| count));
    if named.is_empty() || only_counted == 0 {
        return;
    }
    let name = if let [(only, _)] = *named { only } else { ONLY_COUNTED };
    match named.iter_mut().find(|(other, _)| *other == name) {
        Some((_, count)) => add(count, only_counted),
        None => named.push((name, only_counted)),
    }
    *what = named;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(what: &[(&'static str, u64)]) -> Vec<(&'static str, u64)> {
        let mut what = what.to_vec();
        name_bare_events(&mut what);
        what
    }

    #[test]
    fn a_command_with_the_name_of_what_was_only_counted_is_listed_once() {
        assert_eq!(named(&[("command", 2), ("sync", 1)]), [("sync", 3)]);
        assert_eq!(
            named(&[("sync", 1), ("command", 2), ("(only counted)", 4)]),
            [("sync", 1), ("(only counted)", 6)]
        );
        assert_eq!(named(&[("form-in", 2)]), [("form-in", 2)]);
    }
}
