//! Sums of the cells by rule, user or day.

use super::decision::{ALLOW, STOPPED};
use super::figures::{Cell, Figures};
use super::names::{Name, Names};
use super::sums::{add, total};
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Row {
    pub name: Name,
    pub verdicts: [u64; ALLOW],
    /// By user of a rule, or by rule of a user or day.
    others: HashMap<Name, u64>,
}

impl Row {
    pub fn of(&self, verdicts: &[usize]) -> u64 {
        total(verdicts.iter().filter_map(|verdict| self.verdicts.get(*verdict).copied()))
    }

    pub fn other_count(&self) -> usize {
        self.others.len()
    }

    pub fn others_most_first<'n>(&self, names: &'n Names) -> Vec<(&'n str, u64)> {
        let mut others: Vec<_> =
            self.others.iter().map(|(name, count)| (names.text(*name), *count)).collect();
        others.sort_by_key(|(name, count)| (Reverse(*count), *name));
        others
    }

    /// Empty without others.
    pub fn most_frequent<'n>(&self, names: &'n Names) -> &'n str {
        let others = self.others.iter().map(|(name, count)| (Reverse(*count), names.text(*name)));
        others.min().map_or("", |(_, name)| name)
    }
}

/// Most refusals and delays first. The others are counted for the verdicts of which `counts_other`.
pub(super) fn rows(
    figures: &Figures,
    parts: impl Fn(&Cell) -> [Name; 2],
    counts_other: impl Fn(usize) -> bool,
) -> Vec<Row> {
    let mut rows: HashMap<Name, Row> = HashMap::new();
    for (cell, times) in &figures.cells {
        let [name, other] = parts(cell);
        let row = rows.entry(name).or_insert_with(|| Row { name, ..Row::default() });
        if let Some(count) = row.verdicts.get_mut(cell.verdict) {
            add(count, *times);
        }
        if counts_other(cell.verdict) {
            add(row.others.entry(other).or_default(), *times);
        }
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    rows.sort_unstable_by_key(|row| {
        let counts = [row.of(&STOPPED), total(row.verdicts)];
        (counts.map(Reverse), figures.names.text(row.name))
    });
    rows
}
