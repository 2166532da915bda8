use crate::assemble::range_counts::{RangeCounter, add_ranges};
use crate::assemble::sweep::{Paths, each_path};
use crate::base::order::folded_key;
use crate::estimate::client_view::ClientView;
use crate::ranges::range::{Extent, Range, range};
use crate::ranges::union::{Term, union};
use crate::sorted::sorter::Sorter;
use std::io;

/// Directories and client views whose files are counted in one pass.
pub struct Questions {
    ranges: Sorter,
    number: u32,
    folds: bool,
}

impl Questions {
    /// `sorter` must compare keys as bytes.
    pub fn new(sorter: Sorter, folds: bool) -> Self {
        Questions { ranges: sorter, number: 0, folds }
    }

    /// `path` has a slash at the end.
    pub fn directory(&mut self, path: &[u8]) -> io::Result<()> {
        let range = Range { literal: folded_key(path, self.folds), extent: Extent::Below };
        self.add(&[Term { range, is_minus: false }])
    }

    /// Each file counts once; excluded files count as well.
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

    /// In the order in which directories and views were added.
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
