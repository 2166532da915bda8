//! One pass over the sorted paths of a table: selects samples and counts.

use crate::assemble::directories::Directories;
use crate::assemble::places::OpenDirectories;
use crate::assemble::range_counts::RangeCounter;
use crate::base::numbers::append;
use crate::base::order::{Case, Watch, is_same, without_end};
use crate::file::blocks::BlockOutput;
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io::{self, Write};

#[derive(Clone, Copy, Debug)]
pub struct Paths<'r> {
    /// Each key begins with the path.
    pub runs: &'r [Run],
    /// Length of the part after the path in a key.
    pub tail: usize,
    /// However many records a path has in the table.
    pub is_counted_once: bool,
    pub case: Case,
}

#[derive(Debug)]
pub struct SweepResult {
    /// The path of every `step`-th record.
    pub samples: Tree,
    /// Every `step`-th record directly in each directory.
    pub directory_samples: Vec<Run>,
    /// Of records, or of different paths if each counts as 1.
    pub total: u64,
    /// The index is the client number.
    pub client_counts: Vec<u64>,
    /// Proves a case-sensitive server; only determined if the case setting is undetermined.
    pub order_is_of_bytes: bool,
}

/// Settings of one pass, and the sorters that receive its samples and counts.
pub struct SweepSettings<'s> {
    /// Records between two sample paths.
    pub step: u64,
    pub directory_samples: Sorter,
    /// For counts below depots and top-level directories.
    pub places: &'s mut Sorter,
    /// 0 for files, 1 for revisions.
    pub table: usize,
}

/// Writes samples to `out`, and counts below depots and directories to `into.places`.
pub fn sweep(
    paths: Paths<'_>,
    counter: RangeCounter,
    mut into: SweepSettings<'_>,
    out: &mut BlockOutput<impl Write>,
) -> io::Result<SweepResult> {
    let mut pass = Pass {
        counter,
        directories: Directories::new(into.step),
        open: OpenDirectories::new(into.table),
        samples: TreeWriter::default(),
        total: 0,
        watch: Watch::of(paths.case),
    };
    each_path(paths, |path, order_path, records| {
        pass.take(path, order_path, records, &mut into, out)
    })?;
    pass.open.finish(into.places)?;
    Ok(SweepResult {
        samples: pass.samples.finish(out)?,
        directory_samples: into.directory_samples.into_runs()?,
        total: pass.total,
        client_counts: pass.counter.totals(pass.total),
        order_is_of_bytes: pass.watch.is_of_bytes,
    })
}

/// `visit` gets the original path, the path as compared (in lower case on a server that ignores
/// case), and its number of records.
pub fn each_path(
    paths: Paths<'_>,
    mut visit: impl FnMut(&[u8], &[u8], u64) -> io::Result<()>,
) -> io::Result<()> {
    let folds = paths.case.folds();
    let mut merge = Merge::new(paths.runs, folds)?;
    let (mut path, mut order_path, mut records) = (Vec::new(), Vec::new(), 0_u64);
    while merge.advance()? {
        let current = without_end(merge.order_key(), paths.tail);
        let compared = if folds { &order_path } else { &path };
        if !is_same(current, compared) {
            if records > 0 {
                visit(&path, compared, records)?;
            }
            replace(&mut path, without_end(merge.key(), paths.tail));
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
    open: OpenDirectories,
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
        self.open.pass(path, order_path, records, into.places)?;
        let next = self.total + records;
        for _ in self.total / into.step..next / into.step {
            self.samples.push(out, path, b"")?;
        }
        self.total = next;
        Ok(())
    }
}

fn replace(old: &mut Vec<u8>, new: &[u8]) {
    old.clear();
    append(old, new);
}
