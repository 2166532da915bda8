use crate::assemble::change_records::ChangeRecords;
use crate::assemble::recent_submits::RecentSubmits;
use crate::assemble::rows;
use crate::assemble::store::Store;
use crate::assemble::synced_files::SyncedFiles;
use crate::base::numbers::put_number;
use crate::base::order::{Breaks, Case};
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::fields::Fields;
use crate::source::table::{Head, Kind, Table};
use std::collections::BTreeSet;
use std::io;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depot {
    pub name: Vec<u8>,
    /// As in `db.depot`: 0 local, 1 remote, 2 spec, 3 stream and so on.
    pub kind: u64,
    /// Such as `depot/...`.
    pub map: Vec<u8>,
}

pub struct Tables {
    temporary_folder: TemporaryFolder,
    /// `db.revhx` and `db.revdx`, head revisions of files and of deleted files.
    pub heads: Store,
    pub revisions: Store,
    /// Of requested clients only, with times and depot paths; otherwise possibly only a summary.
    pub have: SyncedFiles,
    /// `db.working`, of requested clients.
    pub open_files: Store,
    pub domains: Store,
    pub views: Store,
    pub streams: Store,
    pub relations: Store,
    pub templates: Store,
    /// None if certain clients were requested.
    pub changes: Option<ChangeRecords>,
    pub depots: Vec<Depot>,
    /// The server's counter, that is, the last changelist number; None if not found.
    pub change: Option<u64>,
    /// Latest time of a checkpoint note or transaction, in seconds since the Unix epoch; None if
    /// not found.
    pub time_s: Option<u64>,
    /// Of head revisions in a checkpoint, and of `db.rev` in a checkpoint or journal.
    has_records: (bool, bool),
    /// In lower case; None if the synced files of all clients are only counted.
    clients: Option<BTreeSet<Vec<u8>>>,
    pub recent_submits: Option<RecentSubmits>,
    folds: bool,
    value: Vec<u8>,
}

#[derive(Debug)]
pub enum RecordError {
    /// Its values do not fit the layout of its table.
    Damaged,
    Unkept(io::Error),
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        RecordError::Unkept(error)
    }
}

impl Tables {
    pub fn new(temporary_folder: TemporaryFolder) -> io::Result<Self> {
        let store = || Store::new(&temporary_folder);
        let (heads, revisions, have, open_files) =
            (store()?, store()?, SyncedFiles::new(&temporary_folder)?, store()?);
        let (domains, views, clients, recent_submits) = (store()?, store()?, None, None);
        let (streams, relations, templates) = (store()?, store()?, store()?);
        let (depots, value) = (Vec::new(), Vec::new());
        let changes = Some(ChangeRecords::new(&temporary_folder));
        let (change, time_s, has_records, folds) = (None, None, (false, false), false);
        Ok(Tables {
            temporary_folder,
            heads,
            revisions,
            have,
            open_files,
            domains,
            views,
            streams,
            relations,
            templates,
            changes,
            depots,
            change,
            time_s,
            has_records,
            clients,
            recent_submits,
            folds,
            value,
        })
    }

    /// `clients` are names in lower case, `since_s` seconds since the Unix epoch.
    pub fn want_files_of(
        &mut self,
        clients: BTreeSet<Vec<u8>>,
        since_s: Option<u64>,
    ) -> io::Result<()> {
        self.recent_submits = since_s
            .map(|since_s| RecentSubmits::new(&self.temporary_folder, clients.clone(), since_s))
            .transpose()?;
        self.clients = Some(clients);
        self.changes = None;
        Ok(())
    }

    #[must_use]
    pub fn is_used(&self, table: Table) -> bool {
        match table {
            Table::Other | Table::Group | Table::Protect | Table::ChangeX => false,
            Table::Config | Table::Property => false,
            Table::Working => self.clients.is_some(),
            Table::Change => self.recent_submits.is_some() || self.changes.is_some(),
            Table::RevCx | Table::Label | Table::Template => self.changes.is_some(),
            _ => true,
        }
    }

    /// As old servers write it; head revisions then have to be derived from `db.rev`.
    #[must_use]
    pub fn has_no_heads(&self) -> bool {
        self.has_records == (false, true)
    }

    pub fn take(&mut self, head: Head, values: &[u8]) -> Result<(), RecordError> {
        let mut fields = Fields::new(values);
        let is_there = head.kind != Kind::Delete;
        if matches!(head.table, Table::Change | Table::RevCx | Table::Label) {
            return self.take_of_change(head, fields);
        }
        let name = fields.name().ok_or(RecordError::Damaged)?;
        self.value.clear();
        match head.table {
            Table::Rev => {
                if let Some(recent_submits) = &mut self.recent_submits {
                    recent_submits.take_revision(is_there, &name, fields)?;
                }
                let tail = rows::revision_tail(&mut fields).ok_or(RecordError::Damaged)?;
                self.has_records.1 = true;
                self.revisions.push([&name, &tail], is_there.then_some(b""))?;
            }
            Table::RevHx | Table::RevDx => {
                let is_deleted = head.table == Table::RevDx;
                let tail = rows::head_tail(&mut fields, is_deleted).ok_or(RecordError::Damaged)?;
                self.has_records.0 |= !self.is_sorting();
                self.heads.push([&name, &tail], is_there.then_some(b""))?;
            }
            Table::Have | Table::Working => self.take_file(head.table, is_there, &name, fields)?,
            Table::View => {
                let tail = rows::view_tail(&mut fields).ok_or(RecordError::Damaged)?;
                if is_there {
                    rows::view_value(&mut self.value, &mut fields).ok_or(RecordError::Damaged)?;
                }
                self.views.push([&name, &tail], is_there.then_some(&self.value))?;
            }
            Table::Domain => {
                if is_there {
                    rows::domain_value(&mut self.value, &mut fields).ok_or(RecordError::Damaged)?;
                }
                let value = is_there.then_some(&self.value[..]);
                if let Some(changes) = &mut self.changes {
                    changes.take_domain(&name, value);
                }
                self.domains.push([&name, b""], value)?;
            }
            Table::Stream => {
                if is_there {
                    rows::stream_value(&mut self.value, &mut fields, head.version)
                        .ok_or(RecordError::Damaged)?;
                }
                self.streams.push([&name, b""], is_there.then_some(&self.value))?;
            }
            Table::StreamRelation => {
                let stream = fields.name().ok_or(RecordError::Damaged)?;
                let tail = rows::relation_tail(&name);
                self.relations.push([&stream, &tail], is_there.then_some(&name))?;
            }
            Table::Template => {
                let tail = rows::template_row(&mut self.value, &mut fields, head.version);
                self.templates.push([&name, &tail], is_there.then_some(&self.value))?;
            }
            _ => {
                self.take_small(head.table, is_there, &name, fields).ok_or(RecordError::Damaged)?
            }
        }
        Ok(())
    }

    /// In seconds since the Unix epoch.
    pub fn note_time(&mut self, time_s: Option<i64>) {
        let time_s = time_s.and_then(|time_s| u64::try_from(time_s).ok());
        self.time_s = self.time_s.max(time_s);
    }

    /// After the checkpoints: determines the sort order of their tables, unless `case` gives it.
    pub fn decide(self, case: Option<Case>) -> io::Result<(Self, Case)> {
        let mut breaks = Breaks::default();
        // `db.stream` and `db.streamrelation` are sorted in the same order as `db.domain`.
        for store in [&self.heads, &self.revisions, &self.have.store, &self.domains, &self.views] {
            breaks.add(store.breaks());
        }
        let case = case.unwrap_or(breaks.case());
        let (temporary, folds) = (self.temporary_folder.clone(), case.folds());
        let sorting = |store: Store| store.sorting(&temporary, folds);
        let have = self.have.sorting(&temporary, folds)?;
        let (heads, revisions) = (sorting(self.heads)?, sorting(self.revisions)?);
        let (domains, views, open_files) =
            (sorting(self.domains)?, sorting(self.views)?, sorting(self.open_files)?);
        let (streams, relations) = (sorting(self.streams)?, sorting(self.relations)?);
        let templates = sorting(self.templates)?;
        let recent_submits = self
            .recent_submits
            .map(|recent_submits| recent_submits.sorting(&temporary, folds))
            .transpose()?;
        let sorted = Tables {
            heads,
            revisions,
            have,
            open_files,
            domains,
            views,
            streams,
            relations,
            templates,
            recent_submits,
            folds,
            ..self
        };
        Ok((sorted, case))
    }

    /// A synced or opened file, unless only files of other clients were requested.
    fn take_file(
        &mut self,
        table: Table,
        is_there: bool,
        path: &[u8],
        mut fields: Fields<'_>,
    ) -> Result<(), RecordError> {
        if let Some(clients) = &self.clients {
            if !clients.contains(&rows::client_of(path).to_ascii_lowercase()) {
                return Ok(());
            }
            if is_there {
                let depot = fields.text().ok_or(RecordError::Damaged)?;
                let is_open = table == Table::Working;
                let time_s = if is_open { u64::MAX } else { rows::file_time_s(&mut fields) };
                put_number(&mut self.value, time_s);
                self.value.extend_from_slice(&depot);
            }
        }
        let value = is_there.then_some(&self.value[..]);
        match table {
            Table::Have => self.have.push(path, value)?,
            _ => self.open_files.push([path, b""], value)?,
        }
        Ok(())
    }

    fn take_of_change(&mut self, head: Head, fields: Fields<'_>) -> Result<(), RecordError> {
        let is_of_journal = self.is_sorting();
        if let Some(changes) = &mut self.changes {
            changes.take(head, is_of_journal, fields).ok_or(RecordError::Damaged)??;
        }
        let is_there = head.kind != Kind::Delete;
        let recent = self.recent_submits.as_mut().filter(|_| head.table == Table::Change);
        let outcome = recent.map(|recent| recent.take_change(is_there, fields));
        outcome.unwrap_or(Some(())).ok_or(RecordError::Damaged)
    }

    fn is_sorting(&self) -> bool {
        matches!(self.heads, Store::Sorting(..))
    }

    fn take_small(
        &mut self,
        table: Table,
        is_there: bool,
        name: &[u8],
        mut fields: Fields<'_>,
    ) -> Option<()> {
        if table == Table::Counters {
            if is_there && name == b"change" {
                let value = fields.any()?;
                self.change = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
            }
            return Some(());
        }
        let folds = self.folds;
        let is_same = |other: &[u8]| {
            if folds { other.eq_ignore_ascii_case(name) } else { other == name }
        };
        self.depots.retain(|depot| !is_same(&depot.name));
        if is_there {
            let kind = fields.number()? as u64;
            fields.skip(1)?;
            self.depots.push(Depot { name: name.to_vec(), kind, map: fields.text()?.into_owned() });
        }
        Some(())
    }
}
