use crate::assemble::rows;
use crate::assemble::store::Store;
use crate::base::numbers::{put_number, take_number};
use crate::sorted::merge::Merge;
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::fields::Fields;
use std::collections::{BTreeSet, HashMap};
use std::io;

/// Finds the revisions that clients submitted since a given time.
pub struct RecentSubmits {
    /// Names in lower case.
    clients: BTreeSet<Vec<u8>>,
    since_s: u64,
    /// By number, with the client's name in lower case.
    changes: HashMap<u64, Vec<u8>>,
    /// Revisions of `db.rev` since then, of any client, with the changelist number as value.
    revisions: Store,
}

impl RecentSubmits {
    /// `clients` are names in lower case.
    pub fn new(
        temporary: &TemporaryFolder,
        clients: BTreeSet<Vec<u8>>,
        since_s: u64,
    ) -> io::Result<Self> {
        let revisions = Store::new(temporary)?;
        Ok(RecentSubmits { clients, since_s, changes: HashMap::new(), revisions })
    }

    /// The fields are changelist number, another number, client, user and time; with `is_there`
    /// false, the record was deleted. None if it is damaged.
    pub fn take_change(&mut self, is_there: bool, mut fields: Fields<'_>) -> Option<()> {
        let number = u64::try_from(fields.number()?).ok()?;
        self.changes.remove(&number);
        fields.skip(1)?;
        let client = fields.text()?.to_ascii_lowercase();
        fields.skip(1)?;
        let is_late = fields.number()? >= self.since_s as i64;
        if is_there && is_late && self.clients.contains(&client) {
            self.changes.insert(number, client);
        }
        Some(())
    }

    /// The fields after the path are revision, type, action, changelist, time. A record that lacks
    /// one of revision, changelist and time is ignored, and so is one from before the start time.
    pub fn take_revision(
        &mut self,
        is_there: bool,
        path: &[u8],
        mut fields: Fields<'_>,
    ) -> io::Result<()> {
        let Some(tail) = rows::revision_tail(&mut fields) else {
            return Ok(());
        };
        let _ = fields.skip(2);
        let (change, time_s) = (fields.number(), fields.number());
        if let (Some(change), Some(time_s)) = (change, time_s)
            && time_s >= self.since_s as i64
        {
            let mut value = Vec::new();
            put_number(&mut value, change.max(0) as u64);
            self.revisions.push([path, &tail], is_there.then_some(&value))?;
        }
        Ok(())
    }

    pub fn sorting(self, temporary: &TemporaryFolder, folds: bool) -> io::Result<Self> {
        Ok(RecentSubmits { revisions: self.revisions.sorting(temporary, folds)?, ..self })
    }

    /// `visit` gets the client's name in lower case and the depot path.
    pub fn each(
        self,
        folds: bool,
        mut visit: impl FnMut(&[u8], &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut merge = Merge::new(&self.revisions.into_runs()?, folds)?;
        while merge.advance()? {
            let client =
                take_number(&mut merge.value()).and_then(|number| self.changes.get(&number));
            let end = merge.key().len().saturating_sub(rows::REVISION_TAIL);
            if let (Some(client), Some(path)) = (client, merge.key().get(..end)) {
                visit(client, path)?;
            }
        }
        Ok(())
    }
}
