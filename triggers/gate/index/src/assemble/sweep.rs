//! One pass over the sorted paths of a table (files or revisions), which selects the sample paths
//! and counts the records below depots and top-level directories and in clients' views.

use crate::assemble::directories::Directories;
use crate::assemble::places::Places;
use crate::assemble::range_counts::RangeCounter;
use crate::base::numbers::append;
use crate::base::order::{Case, Watch, is_same};
use crate::file::blocks::BlockOutput;
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io::{self, Write};

/// Input of one pass over a sorted table of files or revisions: the table's records, and the layout
/// of their keys.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'r> {
    /// The table's records as sorted runs; each key begins with the path.
    pub runs: &'r [Run],
    /// Length in bytes of the part after the path in the key of a record in `runs`.
    pub tail: usize,
    /// Whether a path counts as 1, however many records it has in the table.
    pub is_counted_once: bool,
    /// The case setting by which the table's records are sorted.
    pub case: Case,
}

/// Results of one pass over the sorted paths of a table (files or revisions).
#[derive(Debug)]
pub struct SweepResult {
    /// Position of the tree of samples in the checkpoint index: the path of every `step`-th record.
    pub samples: Tree,
    /// Sorted runs of the samples by directory: every `step`-th record directly in each directory.
    pub directory_samples: Vec<Run>,
    /// Number of records in the whole table, or of different paths if each path counts as 1.
    pub total: u64,
    /// Numbers of records of the table that the clients' views span; the index is the client
    /// number.
    pub client_counts: Vec<u64>,
    /// Whether the paths are sorted by bytes but not without case, which proves a case-sensitive
    /// server; only determined if the case setting is undetermined.
    pub order_is_of_bytes: bool,
}

/// Settings of one pass over the sorted files or revisions, and the sorters that receive the pass's
/// samples and counts.
pub struct SweepSettings<'s> {
    /// Number of records of the table between two sample paths.
    pub step: u64,
    /// Sorter for the samples by directory: every `step`-th record directly in each directory.
    pub directory_samples: Sorter,
    /// Sorter for counts: for each depot and each top-level directory, how many of the table's
    /// records are below it.
    pub places: &'s mut Sorter,
    /// Number of the table: 0 for files, 1 for revisions.
    pub table: usize,
}

/// Makes one pass over a sorted table of files or revisions: writes samples of the paths to the
/// file `out`, adds the numbers of records below depots and top-level directories to the sorter
/// `into.places`, and returns the other results.
pub fn sweep(
    paths: Paths<'_>,
    counter: RangeCounter,
    mut into: SweepSettings<'_>,
    out: &mut BlockOutput<impl Write>,
) -> io::Result<SweepResult> {
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
    Ok(SweepResult {
        samples: pass.samples.finish(out)?,
        directory_samples: into.directory_samples.into_runs()?,
        total: pass.total,
        client_counts: pass.counter.totals(pass.total),
        order_is_of_bytes: pass.watch.is_of_bytes,
    })
}

/// Calls `visit` for each path of a sorted table, in order, with the original path, the path as
/// compared (in lower case on a server that ignores case), and its number of records (1 if each
/// path counts as 1).
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
        records = if paths.is_counted_once { 1 } else { records + 1 };
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
        into: &mut SweepSettings<'_>,
        out: &mut BlockOutput<impl Write>,
    ) -> io::Result<()> {
        self.watch.pass(path);
        self.counter.pass(order_path, records, self.total)?;
        self.directories.pass(path, order_path, records, &mut into.directory_samples)?;
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
