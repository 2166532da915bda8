use crate::base::order::{compare, is_same};
use crate::sorted::run::{Run, RunReader};
use std::io;

/// Yields the last state of every key, in order; the entry of the latest run counts.
#[derive(Debug)]
pub struct Merge {
    runs: Vec<RunReader>,
    /// Indexes of the runs that still have entries, as a binary heap: the smallest key first and,
    /// for equal keys, the latest run first.
    heap: Vec<usize>,
    is_started: bool,
}

impl Merge {
    /// The runs are given oldest first.
    pub fn new(runs: &[Run], folds: bool) -> io::Result<Self> {
        let readers = runs.iter().map(|run| RunReader::new(run.clone(), folds));
        let runs = readers.collect::<io::Result<_>>()?;
        let mut merge = Merge { runs, heap: Vec::new(), is_started: false };
        for run in 0..merge.runs.len() {
            if merge.runs.get_mut(run).map_or(Ok(false), RunReader::advance)? {
                merge.heap.push(run);
            }
        }
        (0..merge.heap.len()).rev().for_each(|place| merge.sink(place));
        Ok(merge)
    }

    /// To the next key that is not deleted.
    pub fn advance(&mut self) -> io::Result<bool> {
        while self.advance_any()? {
            if self.is_live() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn advance_any(&mut self) -> io::Result<bool> {
        if self.is_started {
            while self.pass_older()? {}
            self.pass(0)?;
        }
        self.is_started = true;
        Ok(!self.heap.is_empty())
    }

    /// In its original spelling.
    pub fn key(&self) -> &[u8] {
        self.at(0).map(|run| &run.key[..]).unwrap_or_default()
    }

    /// As keys are compared.
    pub fn order_key(&self) -> &[u8] {
        self.at(0).map(RunReader::order_key).unwrap_or_default()
    }

    /// Empty if the key is deleted.
    pub fn value(&self) -> &[u8] {
        self.at(0).map(|run| &run.value[..]).unwrap_or_default()
    }

    pub(super) fn is_live(&self) -> bool {
        self.at(0).is_some_and(|run| run.is_live)
    }

    /// Skips an entry of an older run with the current key; false if there is none.
    fn pass_older(&mut self) -> io::Result<bool> {
        let is_older = |place: &usize| {
            self.at(*place).is_some_and(|run| is_same(run.order_key(), self.order_key()))
        };
        match [1, 2].into_iter().find(is_older) {
            Some(place) => self.pass(place).map(|()| true),
            None => Ok(false),
        }
    }

    /// Skips the current entry of the run at this place in the heap.
    fn pass(&mut self, place: usize) -> io::Result<()> {
        let run = self.heap.get(place).and_then(|run| self.runs.get_mut(*run));
        if !run.map_or(Ok(true), RunReader::advance)? {
            self.heap.swap_remove(place);
        }
        self.sink(place);
        Ok(())
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
        let key = |place| self.at(place).map(RunReader::order_key).unwrap_or_default();
        let is_later = || self.heap.get(other).cmp(&self.heap.get(one));
        compare(key(one), key(other)).then_with(is_later).is_lt()
    }

    fn at(&self, place: usize) -> Option<&RunReader> {
        self.runs.get(*self.heap.get(place)?)
    }
}
