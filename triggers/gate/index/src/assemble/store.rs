use crate::base::order::{Breaks, Parts};
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::spool::Spool;
use crate::sorted::temporary_folder::TemporaryFolder;
use std::io;

/// Records of one table, first those of checkpoints, usually sorted, then those of journals.
#[derive(Debug)]
pub enum Store {
    /// While checkpoints are read, whose sort order is not yet known.
    Spooling(Spool),
    /// While journals are read: the checkpoints' records, and a sorter for the journals'.
    Sorting(Vec<Run>, Sorter),
}

impl Store {
    pub fn new(temporary: &TemporaryFolder) -> io::Result<Self> {
        Ok(Store::Spooling(Spool::new(temporary)?))
    }

    /// All zero after `sort`.
    pub fn breaks(&self) -> Breaks {
        match self {
            Store::Spooling(spool) => spool.breaks,
            Store::Sorting(..) => Breaks::default(),
        }
    }

    /// A value of None means that the record was deleted.
    pub fn push(&mut self, key: Parts<'_>, value: Option<&[u8]>) -> io::Result<()> {
        match self {
            Store::Spooling(spool) => spool.push(key, value),
            Store::Sorting(_, sorter) => sorter.push(key, value),
        }
    }

    /// Once, after the last checkpoint record was added.
    pub fn sort(&mut self, temporary: &TemporaryFolder, folds: bool) -> io::Result<()> {
        let sorter = Sorter::new(temporary.clone(), folds);
        let spooled = std::mem::replace(self, Store::Sorting(Vec::new(), sorter));
        if let (Store::Spooling(spool), Store::Sorting(runs, _)) = (spooled, self) {
            *runs = spool.into_runs(temporary, folds)?;
        }
        Ok(())
    }

    /// Oldest first; none before `sort`.
    pub fn runs(&mut self) -> io::Result<Vec<Run>> {
        let Store::Sorting(runs, sorter) = self else { return Ok(Vec::new()) };
        runs.extend(sorter.take_runs()?);
        Ok(runs.clone())
    }
}
