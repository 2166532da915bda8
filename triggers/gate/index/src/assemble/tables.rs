use crate::assemble::change_records::ChangeRecords;
use crate::assemble::rows;
use crate::assemble::store::Store;
use crate::base::order::{Breaks, Case, is_same_name};
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::fields::Fields;
use crate::source::table::{Head, Kind, Table};
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
    /// Its values are empty without `files`, likewise those of `open_files`.
    pub have: Store,
    /// `db.working`; empty without `files`.
    pub open_files: Store,
    pub domains: Store,
    pub views: Store,
    pub streams: Store,
    pub relations: Store,
    pub templates: Store,
    pub changes: ChangeRecords,
    pub depots: Vec<Depot>,
    /// The server's counter, that is, the last changelist number; None if not found.
    pub change: Option<u64>,
    /// Latest time of a checkpoint note or transaction, in seconds since the Unix epoch; None if
    /// not found.
    pub time_s: Option<u64>,
    /// Of head revisions in a checkpoint, and of `db.rev` in a checkpoint or journal.
    has_records: (bool, bool),
    pub files: Option<KeptFiles>,
    /// False before `decide`.
    pub folds: bool,
    value: Vec<u8>,
}

/// That the depot paths and times of the clients' files are kept as well.
#[derive(Clone, Copy, Debug)]
pub struct KeptFiles {
    /// In seconds since the Unix epoch; files used since then are marked, and revisions since then
    /// have their changelists. None if all files count as used.
    pub since_s: Option<u64>,
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
    pub fn new(temporary_folder: TemporaryFolder, files: Option<KeptFiles>) -> io::Result<Self> {
        let store = || Store::new(&temporary_folder);
        let has_clients = files.is_some_and(|files| files.since_s.is_some());
        Ok(Tables {
            heads: store()?,
            revisions: store()?,
            have: store()?,
            open_files: store()?,
            domains: store()?,
            views: store()?,
            streams: store()?,
            relations: store()?,
            templates: store()?,
            changes: ChangeRecords::new(&temporary_folder, has_clients),
            depots: Vec::new(),
            change: None,
            time_s: None,
            has_records: (false, false),
            files,
            folds: false,
            value: Vec::new(),
            temporary_folder,
        })
    }

    pub fn is_used(&self, table: Table) -> bool {
        match table {
            Table::Other | Table::Group | Table::Protect | Table::ChangeX => false,
            Table::Config | Table::Property => false,
            Table::Working => self.files.is_some(),
            _ => true,
        }
    }

    /// As old servers write it; head revisions then have to be derived from `db.rev`.
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
                let tail = rows::revision_tail(&mut fields).ok_or(RecordError::Damaged)?;
                if let Some(since_s) = self.files.and_then(|files| files.since_s) {
                    rows::recent_change(&mut self.value, fields, since_s);
                }
                self.has_records.1 = true;
                self.revisions.push([&name, &tail], is_there.then_some(&self.value))?;
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
                self.changes.take_domain(&name, value);
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
    pub fn decide(&mut self, case: Option<Case>) -> io::Result<Case> {
        let mut breaks = Breaks::default();
        // `db.stream` and `db.streamrelation` are sorted in the same order as `db.domain`.
        for store in [&self.heads, &self.revisions, &self.have, &self.domains, &self.views] {
            breaks.add(store.breaks());
        }
        let case = case.unwrap_or(breaks.case());
        self.folds = case.folds();
        for store in [
            &mut self.heads, &mut self.revisions, &mut self.have, &mut self.open_files,
            &mut self.domains, &mut self.views, &mut self.streams, &mut self.relations,
            &mut self.templates,
        ] {
            store.sort(&self.temporary_folder, self.folds)?;
        }
        Ok(case)
    }

    /// A synced or opened file.
    fn take_file(
        &mut self,
        table: Table,
        is_there: bool,
        path: &[u8],
        mut fields: Fields<'_>,
    ) -> Result<(), RecordError> {
        let is_open = table == Table::Working;
        if let Some(KeptFiles { since_s }) = self.files.filter(|_| is_there) {
            let depot = fields.text().ok_or(RecordError::Damaged)?;
            let is_used =
                is_open || since_s.is_none_or(|since_s| rows::file_time_s(&mut fields) >= since_s);
            rows::file_value(&mut self.value, is_used, path, &depot);
        }
        let store = if is_open { &mut self.open_files } else { &mut self.have };
        Ok(store.push([path, b""], is_there.then_some(&self.value))?)
    }

    fn take_of_change(&mut self, head: Head, fields: Fields<'_>) -> Result<(), RecordError> {
        let is_of_journal = self.is_sorting();
        Ok(self.changes.take(head, is_of_journal, fields).ok_or(RecordError::Damaged)??)
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
        self.depots.retain(|depot| !is_same_name(&depot.name, name, folds));
        if is_there {
            let kind = fields.number()? as u64;
            fields.skip(1)?;
            self.depots.push(Depot { name: name.to_vec(), kind, map: fields.text()?.into_owned() });
        }
        Some(())
    }
}
