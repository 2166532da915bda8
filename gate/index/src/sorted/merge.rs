//! Sorted runs -> the last state of every key, in order.

use super::run::{Run, RunReader};
use crate::base::numbers::append;
use crate::base::order::{compare, is_same};
use std::io;

/// Merges runs; of the entries with the same key the last one of the latest run is valid.
#[derive(Debug)]
pub struct Merge {
    runs: Vec<RunReader>,
    /// The runs that have an entry, as a binary heap: the least key first, and the oldest of those.
    heap: Vec<usize>,
    /// The key that `advance` went to, as it was written.
    pub key: Vec<u8>,
    /// The key by which it is compared, where that is another.
    folded: Vec<u8>,
    folds: bool,
    /// Its value.
    pub value: Vec<u8>,
    /// Whether it is not deleted.
    pub(super) is_live: bool,
}

impl Merge {
    /// Merges runs that are sorted, the oldest first.
    pub fn new(runs: &[Run], folds: bool) -> io::Result<Self> {
        let runs = runs.iter().map(|run| RunReader::new(run.clone(), folds)).collect();
        let (key, folded, value) = (Vec::new(), Vec::new(), Vec::new());
        let heap = Vec::new();
        let mut merge = Merge { runs, heap, key, folded, folds, value, is_live: false };
        for run in 0..merge.runs.len() {
            if merge.runs.get_mut(run).map_or(Ok(false), RunReader::advance)? {
                merge.heap.push(run);
            }
        }
        (0..merge.heap.len()).rev().for_each(|place| merge.sink(place));
        Ok(merge)
    }

    /// The key by which the last entry is compared.
    #[must_use]
    pub fn order_key(&self) -> &[u8] {
        if self.folds { &self.folded } else { &self.key }
    }

    /// Goes to the next key that is not deleted; false at the end.
    pub fn advance(&mut self) -> io::Result<bool> {
        while self.advance_any()? {
            if self.is_live {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the next key, deleted or not; false at the end.
    pub(super) fn advance_any(&mut self) -> io::Result<bool> {
        if !self.take_first(true)? {
            return Ok(false);
        }
        while self.take_first(false)? {}
        Ok(true)
    }

    /// Takes the least entry; unless `any`, only where its key is the one that was taken last.
    fn take_first(&mut self, any: bool) -> io::Result<bool> {
        let first = self.heap.first().copied();
        let last = if self.folds { &self.folded } else { &self.key };
        let Some(run) = first.and_then(|run| self.runs.get_mut(run)) else {
            return Ok(false);
        };
        if !any && !is_same(run.order_key(), last) {
            return Ok(false);
        }
        self.is_live = run.is_live;
        replace(&mut self.key, &run.key);
        if self.folds {
            replace(&mut self.folded, run.order_key());
        }
        replace(&mut self.value, &run.value);
        if !run.advance()? {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        Ok(true)
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let mut least = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() && self.is_before(child, least) {
                    least = child;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(least, place);
            place = least;
        }
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        let run_at = |place: usize| self.heap.get(place).copied().unwrap_or_default();
        let key = |run: usize| self.runs.get(run).map(RunReader::order_key).unwrap_or_default();
        let (one, other) = (run_at(one), run_at(other));
        compare(key(one), key(other)).then(one.cmp(&other)).is_lt()
    }
}

fn replace(old: &mut Vec<u8>, new: &[u8]) {
    old.clear();
    append(old, new);
}
