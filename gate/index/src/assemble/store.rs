//! Where the records of a table are kept: first those of checkpoints, then those of journals.

use crate::base::order::{Breaks, Parts};
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::spool::Spool;
use crate::sorted::temporary::Temporary;
use std::io;

/// The records of a table.
#[derive(Debug)]
pub enum Store {
    /// Of checkpoints, whose order is not known yet.
    Spooling(Spool),
    /// Of journals, behind those of the checkpoints.
    Sorting(Vec<Run>, Sorter),
}

impl Store {
    /// Begins with checkpoints.
    pub fn new(temporary: &Temporary) -> io::Result<Self> {
        Ok(Store::Spooling(Spool::new(temporary)?))
    }

    /// Pairs that contradict each order, as far as checkpoints show them.
    #[must_use]
    pub fn breaks(&self) -> Breaks {
        match self {
            Store::Spooling(spool) => spool.breaks,
            Store::Sorting(..) => Breaks::default(),
        }
    }

    /// Adds a record; None says that it was deleted.
    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        match self {
            Store::Spooling(spool) => spool.push(key, value),
            Store::Sorting(_, sorter) => sorter.push(key, value),
        }
    }

    /// Goes on with journals.
    pub fn sorting(self, temporary: &Temporary, folds: bool) -> io::Result<Self> {
        Ok(match self {
            Store::Spooling(spool) => {
                let runs = spool.into_runs(temporary, folds)?;
                Store::Sorting(runs, Sorter::new(temporary.clone(), folds))
            }
            sorting => sorting,
        })
    }

    /// The sorted runs, the oldest first.
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
