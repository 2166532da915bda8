//! One ordered pass over the paths of a table that produces samples, directories, places and
//! clients' counts.

use crate::assemble::directories::Directories;
use crate::assemble::places::Places;
use crate::assemble::range_counts::RangeCounter;
use crate::base::numbers::append;
use crate::base::order::{Case, Watch, is_same};
use crate::file::blocks::Out;
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io::{self, Write};

/// A sorted table to pass over: its records, and the structure of their keys.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'r> {
    /// The table's records, with the path first in their keys.
    pub runs: &'r [Run],
    /// Length in bytes of the part after the path in each key of the table.
    pub tail: usize,
    /// Whether each path of the table counts once, however many records it has.
    pub once: bool,
    /// The sort order of the table's records.
    pub case: Case,
}

/// Results of a pass over the paths of one table (files or revisions).
#[derive(Debug)]
pub struct Swept {
    /// Samples: every `step`-th record of the table, written to the index.
    pub samples: Tree,
    /// Samples by directory: every `step`-th record of each directory, in sorted runs.
    pub in_directories: Vec<Run>,
    /// Number of records in the whole table; paths are counted instead if each counts once.
    pub total: u64,
    /// By client number: how many records of the table the client's view spans.
    pub of_clients: Vec<u64>,
    /// Whether some path follows another in byte order but not in folded order.
    pub order_is_of_bytes: bool,
}

/// The sorters that receive the results of a pass over a table.
pub struct Into<'s> {
    /// Number of the table's records between two samples.
    pub step: u64,
    /// Sorter for samples by directory: every `step`-th record directly in each directory.
    pub in_directories: Sorter,
    /// Sorter for the counts of depots and top-level directories.
    pub places: &'s mut Sorter,
    /// Number of the table that is passed over: 0 files, 1 revisions.
    pub table: usize,
}

/// Makes one pass over a table; writes its samples to `out` and the other results to `into`.
pub fn sweep(
    paths: Paths<'_>,
    counter: RangeCounter,
    mut into: Into<'_>,
    out: &mut Out<impl Write>,
) -> io::Result<Swept> {
    let mut pass = Pass {
        counter,
        directories: Directories::new(into.step),
        places: Places::new(into.table),
        samples: TreeWriter::default(),
        total: 0,
        watch: Watch::of(paths.case),
    };
    each_path(paths, |path, order_path, records| {
        pass.take(path, order_path, records, &mut into, out)
    })?;
    pass.places.finish(into.places)?;
    Ok(Swept {
        samples: pass.samples.finish(out)?,
        in_directories: into.in_directories.into_runs()?,
        total: pass.total,
        of_clients: pass.counter.totals(pass.total),
        order_is_of_bytes: pass.watch.is_of_bytes,
    })
}

/// Calls a function for each path in order, with the original path, its comparable form, and its
/// number of records.
pub fn each_path(
    paths: Paths<'_>,
    mut visit: impl FnMut(&[u8], &[u8], u64) -> io::Result<()>,
) -> io::Result<()> {
    let folds = paths.case.folds();
    let mut merge = Merge::new(paths.runs, folds)?;
    let (mut path, mut order_path, mut records) = (Vec::new(), Vec::new(), 0_u64);
    while merge.advance()? {
        let current = front(merge.order_key(), paths.tail);
        let compared = if folds { &order_path } else { &path };
        if !is_same(current, compared) {
            if records > 0 {
                visit(&path, compared, records)?;
            }
            replace(&mut path, front(merge.key(), paths.tail));
            if folds {
                replace(&mut order_path, current);
            }
            records = 0;
        }
        records = if paths.once { 1 } else { records + 1 };
    }
    let compared = if folds { &order_path } else { &path };
    if records > 0 { visit(&path, compared, records) } else { Ok(()) }
}

struct Pass {
    counter: RangeCounter,
    directories: Directories,
    places: Places,
    samples: TreeWriter,
    total: u64,
    watch: Watch,
}

impl Pass {
    fn take(
        &mut self,
        path: &[u8],
        order_path: &[u8],
        records: u64,
        into: &mut Into<'_>,
        out: &mut Out<impl Write>,
    ) -> io::Result<()> {
        self.watch.pass(path);
        self.counter.pass(order_path, records, self.total)?;
        self.directories.pass(path, order_path, records, &mut into.in_directories)?;
        self.places.pass(path, order_path, records, into.places)?;
        let next = self.total + records;
        for _ in self.total / into.step..next / into.step {
            self.samples.push(out, path, b"")?;
        }
        self.total = next;
        Ok(())
    }
}

fn front(key: &[u8], tail: usize) -> &[u8] {
    key.len().checked_sub(tail).and_then(|end| key.get(..end)).unwrap_or_default()
}

fn replace(old: &mut Vec<u8>, new: &[u8]) {
    old.clear();
    append(old, new);
}
