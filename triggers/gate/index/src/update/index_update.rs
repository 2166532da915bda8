use crate::assemble::change_records::{Changelist, added, changelist};
use crate::assemble::rows::{self, Domain, LABEL, REVISION_TAIL};
use crate::assemble::unfinished_file::UnfinishedFile;
use crate::base::fault::Fault;
use crate::base::numbers::last_ordered;
use crate::file::delta::{Delta, DeltaHead, MAGIC, delta_path};
use crate::file::index::Index;
use crate::file::position::Position;
use crate::file::tree::Tree;
use crate::file::trees::{IndexError, Trees};
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::fields::Fields;
use crate::source::records::Record;
use crate::source::table::{Head, Kind, Table};
use crate::update::changes::LaterChanges;
use crate::update::clients::Clients;
use crate::update::counts::Changes;
use crate::update::journal_reader::{RecordReceiver, read};
use crate::update::pieces::Journals;
use crate::update::stream_views::StreamViews;
use crate::update::streams::Streams;
use std::io;
use std::ops::Range;
use std::path::Path;

#[derive(Debug)]
pub struct IndexUpdate {
    pub head: DeltaHead,
    pub transactions: u64,
}

/// From the position that the index or its delta file states; without one, from the checkpoint's
/// time.
pub fn update(path: &Path, journals: &Journals) -> Result<IndexUpdate, Fault> {
    let damaged = |problem: IndexError| Fault::File(format!("{}: {problem}", path.display()));
    let index = Index::open(path).map_err(damaged)?.with_delta_beside(path);
    let old = index.delta.clone();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let read_to = old.as_ref().map(|old| old.head.read_to).or(index.head.read_to);
    let pieces = match read_to {
        Some(place) => journals.journals_after(place)?,
        None => journals.journals_since(index.head.time_s.unwrap_or(0))?,
    };
    let temporary = TemporaryFolder::in_folder(folder);
    let mut taking = UpdateChanges::new(&index, old.as_ref(), temporary).map_err(damaged)?;
    taking.skip_before_s = if read_to.is_none() { index.head.time_s.unwrap_or(0) } else { 0 };
    taking.push_old(old.as_ref()).map_err(damaged)?;
    let end = read(&pieces, &mut taking)?;
    let Some(read_to) = end.or(read_to) else {
        let live = journals.live_path.display();
        return Err(Fault::File(format!(
            "{live}: contains no complete transaction yet; try again later"
        )));
    };
    let transactions = taking.transactions_read;
    let head = taking.write(index, old, path, read_to).map_err(damaged)?;
    Ok(IndexUpdate { head, transactions })
}

/// Collected while journals are read.
struct UpdateChanges {
    heads: Changes,
    revisions: Changes,
    clients: Clients,
    streams: Streams,
    stream_views: StreamViews,
    changes: LaterChanges,
    pending_records: Vec<PendingRecord>,
    /// Of head revisions, and of revisions. Operations of skipped old transactions and of an
    /// incomplete last one are outside.
    complete_operations: [Range<u32>; 2],
    /// Transactions since the checkpoint, those of the old delta file included.
    number: u64,
    transactions_read: u64,
    time_s: u64,
    skip_before_s: u64,
    folds: bool,
    index_id: u32,
}

/// In a transaction that is not complete yet.
enum PendingRecord {
    Domain(Vec<u8>, Option<Domain>),
    Line(Vec<u8>, u64, Option<Vec<u8>>),
    Stream(Vec<u8>, Option<Vec<u8>>),
    Template(Vec<u8>, (u32, u32), Option<Vec<u8>>),
    Relation(Vec<u8>, Vec<u8>),
    Change(u32, i64),
    Changelist(Changelist, bool),
    LabelFiles(Vec<u8>, i64),
}

impl UpdateChanges {
    fn new(
        index: &Index,
        old: Option<&Delta>,
        temporary: TemporaryFolder,
    ) -> Result<Self, IndexError> {
        let folds = index.folds();
        let changes = || Changes::new(&temporary, folds);
        Ok(UpdateChanges {
            heads: changes(),
            revisions: changes(),
            clients: Clients::new(folds),
            streams: Streams::new(folds),
            stream_views: StreamViews::new(folds),
            changes: LaterChanges::of_delta(old, folds)?,
            pending_records: Vec::new(),
            complete_operations: [1..1, 1..1],
            number: old.map_or(0, |old| old.head.transactions),
            transactions_read: 0,
            time_s: old.map_or(index.head.time_s.unwrap_or(0), |old| old.head.time_s),
            skip_before_s: 0,
            folds,
            index_id: index.id,
        })
    }

    fn push_old(&mut self, old: Option<&Delta>) -> Result<(), IndexError> {
        let Some(old) = old else {
            return Ok(());
        };
        for (tree, changes) in old.head.counts.iter().zip([&mut self.heads, &mut self.revisions]) {
            let mut result = Ok(());
            old.each(*tree, |key, value| {
                if result.is_ok() {
                    result = changes.push_old(key, value);
                }
            })?;
            result?;
        }
        Ok(())
    }

    fn write(
        self,
        index: Index,
        old: Option<Delta>,
        path: &Path,
        read_to: Position,
    ) -> Result<DeltaHead, IndexError> {
        let mut unfinished = UnfinishedFile::of(&delta_path(path))?;
        let newest = index.newest_changelist_of_checkpoint()?;
        let [of_heads, of_revisions] = self.complete_operations;
        let has_file_operations = !of_heads.is_empty() || !of_revisions.is_empty();
        let files = self.heads.write(&of_heads, 0, &mut unfinished.out)?;
        let revisions = self.revisions.write(&of_revisions, REVISION_TAIL, &mut unfinished.out)?;
        let mut head = DeltaHead {
            index_id: self.index_id,
            read_to,
            time_s: self.time_s,
            transactions: self.number,
            counts: [files[0], revisions[0]],
            directory_counts: [files[1], revisions[1]],
            clients: Tree::default(),
            streams: Tree::default(),
            changes: self.changes.write(newest, &mut unfinished.out)?,
            stream_views: Tree::default(),
        };
        let trees = Trees::of(unfinished.read_handle()?, self.folds);
        let with_old = index.clone().with_delta(old.clone());
        let index = index.with_delta(Some(Delta::of_unfinished_file(trees, head.clone())));
        let out = &mut unfinished.out;
        head.clients = self.clients.write(&index, old.as_ref(), has_file_operations, out)?;
        head.streams = self.streams.write(&with_old, old.as_ref(), &mut unfinished.out)?;
        head.stream_views =
            self.stream_views.write(&with_old, old.as_ref(), &mut unfinished.out)?;
        unfinished.finish(MAGIC, &head.bytes())?;
        Ok(head)
    }
}

impl RecordReceiver for UpdateChanges {
    fn is_used(table: Table) -> bool {
        use Table::{Change, Label, RevCx, Stream, StreamRelation, Template};
        use Table::{Domain, Rev, RevDx, RevHx, View};
        matches!(table, Domain | View | Rev | RevHx | RevDx | Stream | StreamRelation | Template)
            || matches!(table, Change | Label | RevCx)
    }

    fn take(&mut self, record: &Record, values: &[u8]) -> Result<Option<()>, Fault> {
        let (kind, table) = (record.head.kind, record.head.table);
        let mut fields = Fields::new(values);
        if matches!(table, Table::Change | Table::RevCx) {
            return Ok(self.take_change(table, kind, fields));
        }
        let Some(name) = fields.name() else {
            return Ok(None);
        };
        match table {
            Table::Rev | Table::RevHx | Table::RevDx => {
                let Some(tail) = rows::revision_tail(&mut fields) else {
                    return Ok(None);
                };
                self.take_revision(table, kind, &name, tail)
                    .map_err(|error| Fault::of_temporary_file(&error))
            }
            _ => Ok(self.take_specification(record.head, &name, fields)),
        }
    }

    fn commit(&mut self, time_s: Option<u64>) {
        let next = [&self.heads, &self.revisions].map(Changes::next_number);
        if time_s.is_some_and(|time_s| time_s < self.skip_before_s) {
            self.complete_operations = next.map(|number| number..number);
            self.pending_records.clear();
            return;
        }
        for (range, next) in self.complete_operations.iter_mut().zip(next) {
            range.end = next;
        }
        (self.number, self.transactions_read) = (self.number + 1, self.transactions_read + 1);
        self.time_s = self.time_s.max(time_s.unwrap_or(0));
        for pending in std::mem::take(&mut self.pending_records) {
            self.settle(pending);
        }
    }
}

impl UpdateChanges {
    fn take_revision(
        &mut self,
        table: Table,
        kind: Kind,
        name: &[u8],
        tail: [u8; REVISION_TAIL],
    ) -> io::Result<Option<()>> {
        if table == Table::Rev {
            self.revisions.push(name, &tail, kind, 0)?;
        } else {
            let revision = u64::from(!last_ordered(&tail).unwrap_or(0));
            let head = revision * 2 + u64::from(table == Table::RevDx);
            self.heads.push(name, b"", kind, head)?;
        }
        Ok(Some(()))
    }

    fn take_change(&mut self, table: Table, kind: Kind, mut fields: Fields<'_>) -> Option<()> {
        if table == Table::RevCx {
            let Ok(change) = u32::try_from(fields.number()?) else {
                return Some(());
            };
            match self.pending_records.last_mut() {
                Some(PendingRecord::Change(last, records)) if *last == change => {
                    *records += added(kind);
                }
                _ => self.pending_records.push(PendingRecord::Change(change, added(kind))),
            }
        } else if let Some(changelist) = changelist(&mut fields)? {
            let is_there = kind != Kind::Delete;
            self.pending_records.push(PendingRecord::Changelist(changelist, is_there));
        }
        Some(())
    }

    fn take_specification(
        &mut self,
        Head { table, kind, version, .. }: Head,
        name: &[u8],
        mut fields: Fields<'_>,
    ) -> Option<()> {
        let (name, is_there, mut value) = (name.to_vec(), kind != Kind::Delete, Vec::new());
        let pending = match table {
            Table::Domain if !is_there => PendingRecord::Domain(name, None),
            Table::Domain => {
                rows::domain_value(&mut value, &mut fields)?;
                PendingRecord::Domain(name, Some(Domain::read(&value)?))
            }
            Table::View => {
                let number = last_ordered(&rows::view_tail(&mut fields)?)?.into();
                if is_there {
                    rows::view_value(&mut value, &mut fields)?;
                }
                PendingRecord::Line(name, number, is_there.then_some(value))
            }
            Table::Stream if !is_there => PendingRecord::Stream(name, None),
            Table::Stream => {
                rows::stream_value(&mut value, &mut fields, version)?;
                PendingRecord::Stream(name, Some(value))
            }
            Table::StreamRelation => PendingRecord::Relation(fields.text()?.into_owned(), name),
            Table::Template => {
                let tail = rows::template_row(&mut value, &mut fields, version);
                let place = rows::place_of_template(&tail)?;
                PendingRecord::Template(name, place, is_there.then_some(value))
            }
            Table::Label => PendingRecord::LabelFiles(name, added(kind)),
            _ => return Some(()),
        };
        self.pending_records.push(pending);
        Some(())
    }

    fn settle(&mut self, pending: PendingRecord) {
        let at = self.number;
        match pending {
            PendingRecord::Domain(name, Some(domain)) if domain.is_stream() => {
                self.streams.take_domain(&name, &domain, at);
            }
            PendingRecord::Domain(name, Some(domain)) if domain.kind == LABEL => {
                self.changes.set_label_revision(&name, domain.revision);
            }
            PendingRecord::Domain(name, domain) => self.clients.take_domain(&name, domain, at),
            PendingRecord::Line(name, number, value) => {
                self.clients.take_line(&name, number, value.as_deref(), at);
            }
            PendingRecord::Stream(name, value) => {
                if let Some(value) = &value {
                    self.streams.take_record(&name, value, at);
                }
                self.stream_views.take_record(&name, value.as_deref());
            }
            PendingRecord::Relation(name, source) => {
                self.streams.take_path(&name, Some(&source), at);
            }
            PendingRecord::Template(name, place, value) => {
                self.streams.take_path(&name, None, at);
                self.stream_views.take_line(&name, place, value.as_deref());
            }
            PendingRecord::Change(change, added) => self.changes.add_records(change, added),
            PendingRecord::Changelist(one, is_there) => self.changes.set(one, is_there),
            PendingRecord::LabelFiles(name, added) => self.changes.add_label_files(&name, added),
        }
    }
}
