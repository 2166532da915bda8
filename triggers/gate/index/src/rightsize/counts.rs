//! Counts, in one pass over the sorted paths of all files, the files below directories and in whole
//! client views.

use crate::assemble::range_counts::{RangeCounter, add_ranges};
use crate::assemble::sweep::{Paths, each_path};
use crate::base::order::folded_key;
use crate::ranges::range::{Extent, Range, range};
use crate::ranges::union::{Term, union};
use crate::rightsize::client_view::ClientView;
use crate::sorted::sorter::Sorter;
use std::io;

/// Directories and client views whose files are to be counted in one pass, in the order in which
/// they were added.
pub struct Questions {
    ranges: Sorter,
    number: u32,
    folds: bool,
}

impl Questions {
    /// Creates an empty collection of directories and client views. `sorter` must compare keys as
    /// bytes; `folds` states whether the server ignores case.
    #[must_use]
    pub fn new(sorter: Sorter, folds: bool) -> Self {
        Questions { ranges: sorter, number: 0, folds }
    }

    /// Adds a directory, given by its depot path with a slash at the end, whose files are to be
    /// counted.
    pub fn directory(&mut self, path: &[u8]) -> io::Result<()> {
        let range = Range { literal: folded_key(path, self.folds), extent: Extent::Below };
        self.add(&[Term { range, is_minus: false }])
    }

    /// Adds a client view whose files are to be counted, each once; excluded files count as well.
    pub fn view(&mut self, view: &ClientView) -> io::Result<()> {
        let rows = view.rows().iter().filter(|row| row.includes());
        let ranges: Vec<Range> = rows.map(|row| range(&row.depot, self.folds)).collect();
        self.add(&union(&ranges))
    }

    fn add(&mut self, terms: &[Term]) -> io::Result<()> {
        add_ranges(&mut self.ranges, self.number, terms)?;
        self.number += 1;
        Ok(())
    }

    /// Counts, in one pass over the sorted `paths`, the files of each directory and view; returns
    /// the numbers in the order in which directories and views were added.
    pub fn counts(self, paths: Paths<'_>) -> io::Result<Vec<u64>> {
        let mut counter = RangeCounter::new(&self.ranges.into_runs()?, self.number as usize)?;
        let mut files = 0;
        each_path(paths, |_, path, _| {
            counter.pass(path, 1, files)?;
            files += 1;
            Ok(())
        })?;
        Ok(counter.totals(files))
    }
}
