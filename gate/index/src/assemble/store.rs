//! Storage for the records of a table: first those of checkpoints, then those of journals.

use crate::base::order::{Breaks, Parts};
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::spool::Spool;
use crate::sorted::temporary::Temporary;
use std::io;

/// Storage of one database table's records while an index is built.
#[derive(Debug)]
pub enum Store {
    /// Records of checkpoints, whose sort order is not yet known.
    Spooling(Spool),
    /// Runs of the checkpoints' records, and a sorter for the journals' records.
    Sorting(Vec<Run>, Sorter),
}

impl Store {
    /// Creates a store that first receives the records of one table from checkpoints.
    pub fn new(temporary: &Temporary) -> io::Result<Self> {
        Ok(Store::Spooling(Spool::new(temporary)?))
    }

    /// Number of adjacent records in checkpoints that contradict each sort order.
    #[must_use]
    pub fn breaks(&self) -> Breaks {
        match self {
            Store::Spooling(spool) => spool.breaks,
            Store::Sorting(..) => Breaks::default(),
        }
    }

    /// Adds a record; a value of None means that it was deleted.
    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        match self {
            Store::Spooling(spool) => spool.push(key, value).map(|_| ()),
            Store::Sorting(_, sorter) => sorter.push(key, value),
        }
    }

    /// Prepares the store for journal records, after the last checkpoint record has been added.
    pub fn sorting(self, temporary: &Temporary, folds: bool) -> io::Result<Self> {
        Ok(match self {
            Store::Spooling(spool) => {
                let runs = spool.into_runs(temporary, folds)?;
                Store::Sorting(runs, Sorter::new(temporary.clone(), folds))
            }
            sorting => sorting,
        })
    }

    /// The table's records as sorted runs, oldest first; none before `sorting` was called.
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
