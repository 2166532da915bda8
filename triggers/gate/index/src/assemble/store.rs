//! Storage for the records of one database table: first those of checkpoints, which are usually
//! sorted, then those of journals, which are not.

use crate::base::order::{Breaks, Parts};
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::spool::Spool;
use crate::sorted::temporary_folder::TemporaryFolder;
use std::io;

/// Storage for the records of one database table, read first from checkpoints, then from journals.
#[derive(Debug)]
pub enum Store {
    /// Storage while checkpoints are read: their records in the order of the file, whose sort order
    /// is not yet known.
    Spooling(Spool),
    /// Storage while journals are read: sorted runs of the checkpoints' records, and a sorter for
    /// the journals' records.
    Sorting(Vec<Run>, Sorter),
}

impl Store {
    /// Creates an empty store, which first receives the table's records from checkpoints.
    pub fn new(temporary: &TemporaryFolder) -> io::Result<Self> {
        Ok(Store::Spooling(Spool::new(temporary)?))
    }

    /// For each possible sort order of the checkpoint records in the store: the number of pairs of
    /// adjacent records that contradict only it; all zero after `sorting` was called.
    #[must_use]
    pub fn breaks(&self) -> Breaks {
        match self {
            Store::Spooling(spool) => spool.breaks,
            Store::Sorting(..) => Breaks::default(),
        }
    }

    /// Adds a checkpoint or journal record to the store; a value of None means that the record was
    /// deleted.
    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        match self {
            Store::Spooling(spool) => spool.push(key, value).map(|_| ()),
            Store::Sorting(_, sorter) => sorter.push(key, value),
        }
    }

    /// Prepares the store for journal records, after the last checkpoint record was added; `folds`
    /// states whether keys are compared without case.
    pub fn sorting(self, temporary: &TemporaryFolder, folds: bool) -> io::Result<Self> {
        Ok(match self {
            Store::Spooling(spool) => {
                let runs = spool.into_runs(temporary, folds)?;
                Store::Sorting(runs, Sorter::new(temporary.clone(), folds))
            }
            sorting => sorting,
        })
    }

    /// The table's records as sorted runs, oldest first; no runs if `sorting` was not called.
    pub fn into_runs(self) -> io::Result<Vec<Run>> {
        match self {
            Store::Spooling(_) => Ok(Vec::new()),
            Store::Sorting(mut runs, sorter) => {
                runs.extend(sorter.into_runs()?);
                Ok(runs)
            }
        }
    }
}
