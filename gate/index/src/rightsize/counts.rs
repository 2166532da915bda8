//! Counts files below directories and in whole views, in one pass over the head revisions.

use crate::assemble::asked::{Asked, ask};
use crate::assemble::sweep::{Paths, each_path};
use crate::base::order::folded;
use crate::ranges::range::{Extent, Range, range};
use crate::ranges::union::{Term, union};
use crate::rightsize::client_view::ClientView;
use crate::sorted::sorter::Sorter;
use std::io;

/// The directories and views to count, in the order in which they were added.
pub struct Questions {
    asked: Sorter,
    number: u32,
    folds: bool,
}

impl Questions {
    /// Creates an empty list; `sorter` must compare keys without folding.
    #[must_use]
    pub fn new(sorter: Sorter, folds: bool) -> Self {
        Questions { asked: sorter, number: 0, folds }
    }

    /// Adds a directory whose files are to be counted.
    pub fn directory(&mut self, path: &[u8]) -> io::Result<()> {
        let range = Range { literal: folded(path, self.folds), extent: Extent::Below };
        self.ask(&[Term { range, is_minus: false }])
    }

    /// Adds a view whose files are to be counted, each once; exclusions are not subtracted.
    pub fn view(&mut self, view: &ClientView) -> io::Result<()> {
        let rows = view.rows.iter().filter(|row| row.includes());
        let ranges: Vec<Range> = rows.map(|row| range(&row.depot, self.folds)).collect();
        self.ask(&union(&ranges))
    }

    fn ask(&mut self, terms: &[Term]) -> io::Result<()> {
        ask(&mut self.asked, self.number, terms)?;
        self.number += 1;
        Ok(())
    }

    /// Counts the paths of the directories and views, each path once.
    pub fn counted(self, paths: Paths<'_>) -> io::Result<Vec<u64>> {
        let mut asked = Asked::new(&self.asked.into_runs()?, self.number as usize)?;
        let mut files = 0;
        each_path(paths, |_, path, _| {
            asked.pass(path, 1, files)?;
            files += 1;
            Ok(())
        })?;
        Ok(asked.totals(files))
    }
}
