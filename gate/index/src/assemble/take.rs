//! Records -> the stores of their tables.

use crate::assemble::lately::Lately;
use crate::assemble::rows;
use crate::assemble::store::Store;
use crate::base::numbers::put_number;
use crate::base::order::{Breaks, Case};
use crate::sorted::temporary::Temporary;
use crate::source::fields::Fields;
use crate::source::table::{Head, Kind, Table};
use std::collections::BTreeSet;
use std::io;

/// A depot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Depot {
    /// Its name.
    pub name: Vec<u8>,
    /// Its type as `db.depot` numbers it: 0 local, 1 remote, 2 spec, 3 stream and so on.
    pub kind: u64,
    /// Its map.
    pub map: Vec<u8>,
}

/// Everything that is kept of checkpoints and journals.
pub struct Taken {
    temporary: Temporary,
    /// `db.revhx` and `db.revdx`.
    pub heads: Store,
    /// `db.rev`.
    pub revisions: Store,
    /// `db.have`; where clients are wanted, with the times and depot paths of their files.
    pub have: Store,
    /// `db.working`: files that wanted clients have open.
    pub open: Store,
    /// `db.domain`.
    pub domains: Store,
    /// `db.view`.
    pub views: Store,
    /// `db.stream`.
    pub streams: Store,
    /// `db.streamrelation`.
    pub relations: Store,
    /// `db.depot`.
    pub depots: Vec<Depot>,
    /// The counter `change`.
    pub change: Option<u64>,
    /// The latest time that a note or a transaction has, in seconds since the epoch.
    pub time_s: Option<u64>,
    /// Whether a head revision, and whether any revision, was in a checkpoint.
    has: (bool, bool),
    /// The clients whose files are wanted, in lower case; None where all are only counted.
    wanted: Option<BTreeSet<Vec<u8>>>,
    /// Revisions that these clients submitted lately; None where nobody asks.
    pub lately: Option<Lately>,
    folds: bool,
    value: Vec<u8>,
}

/// Why a record is not taken.
#[derive(Debug)]
pub enum Refused {
    /// Its values are not those of its table.
    Damaged,
    /// It cannot be kept.
    Unkept(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Unkept(error)
    }
}

impl Taken {
    /// Keeps records in temporary files.
    pub fn new(temporary: Temporary) -> io::Result<Self> {
        let store = || Store::new(&temporary);
        let (heads, revisions, have, open) = (store()?, store()?, store()?, store()?);
        let (domains, views, wanted, lately) = (store()?, store()?, None, None);
        let (streams, relations) = (store()?, store()?);
        let (depots, value) = (Vec::new(), Vec::new());
        let (change, time_s, has, folds) = (None, None, (false, false), false);
        Ok(Taken {
            temporary,
            heads,
            revisions,
            have,
            open,
            domains,
            views,
            streams,
            relations,
            depots,
            change,
            time_s,
            has,
            wanted,
            lately,
            folds,
            value,
        })
    }

    /// Keeps the files of the clients with some names, which are in lower case, and those of no
    /// other; with a time also the revisions that they submitted since, in seconds since the epoch.
    pub fn want_files_of(
        &mut self,
        clients: BTreeSet<Vec<u8>>,
        since_s: Option<u64>,
    ) -> io::Result<()> {
        self.lately = since_s
            .map(|since_s| Lately::new(&self.temporary, clients.clone(), since_s))
            .transpose()?;
        self.wanted = Some(clients);
        Ok(())
    }

    /// Whether records of a table are taken.
    #[must_use]
    pub fn is_wanted(&self, table: Table) -> bool {
        match table {
            Table::Other | Table::Group | Table::Protect | Table::Template => false,
            Table::Working => self.wanted.is_some(),
            Table::Change => self.lately.is_some(),
            _ => true,
        }
    }

    /// Whether heads come from `db.rev`: the checkpoint is too old to have the tables of heads.
    #[must_use]
    pub fn has_no_heads(&self) -> bool {
        self.has == (false, true)
    }

    /// Takes a record.
    pub fn take(&mut self, head: Head, values: &[u8]) -> Result<(), Refused> {
        let mut fields = Fields::new(values);
        let is_there = head.kind != Kind::Delete;
        if head.table == Table::Change {
            let taken = self.lately.as_mut().map(|lately| lately.take_change(is_there, fields));
            return taken.unwrap_or(Some(())).ok_or(Refused::Damaged);
        }
        let name = rows::name(&mut fields).ok_or(Refused::Damaged)?;
        self.value.clear();
        match head.table {
            Table::Rev => {
                if let Some(lately) = &mut self.lately {
                    lately.take_revision(is_there, &name, fields)?;
                }
                let tail = rows::revision_tail(&mut fields).ok_or(Refused::Damaged)?;
                self.has.1 = true;
                self.revisions.push([&name, &tail], is_there.then_some(b""))?;
            }
            Table::RevHx | Table::RevDx => {
                let is_deleted = head.table == Table::RevDx;
                let tail = rows::head_tail(&mut fields, is_deleted).ok_or(Refused::Damaged)?;
                self.has.0 |= !self.folds_known();
                self.heads.push([&name, &tail], is_there.then_some(b""))?;
            }
            Table::Have | Table::Working => self.take_file(head.table, is_there, &name, fields)?,
            Table::View => {
                let tail = rows::view_tail(&mut fields).ok_or(Refused::Damaged)?;
                if is_there {
                    rows::view_value(&mut self.value, &mut fields).ok_or(Refused::Damaged)?;
                }
                self.views.push([&name, &tail], is_there.then_some(&self.value))?;
            }
            Table::Domain => {
                if is_there {
                    rows::domain_value(&mut self.value, &mut fields).ok_or(Refused::Damaged)?;
                }
                self.domains.push([&name, b""], is_there.then_some(&self.value))?;
            }
            Table::Stream => {
                if is_there {
                    rows::stream_value(&mut self.value, &mut fields).ok_or(Refused::Damaged)?;
                }
                self.streams.push([&name, b""], is_there.then_some(&self.value))?;
            }
            Table::StreamRelation => {
                let stream = rows::name(&mut fields).ok_or(Refused::Damaged)?;
                let tail = rows::relation_tail(&name);
                self.relations.push([&stream, &tail], is_there.then_some(&name))?;
            }
            _ => self.take_small(head.table, is_there, &name, fields).ok_or(Refused::Damaged)?,
        }
        Ok(())
    }

    /// Notes a time, in seconds since the epoch.
    pub fn note_time(&mut self, time_s: Option<i64>) {
        let time_s = time_s.and_then(|time_s| u64::try_from(time_s).ok());
        self.time_s = self.time_s.max(time_s);
    }

    /// All checkpoints were read: finds the order of their tables, unless it is known, and goes on
    /// with journals.
    pub fn decide(self, known: Option<Case>) -> io::Result<(Self, Case)> {
        let mut breaks = Breaks::default();
        // The order of streams is that of their domains.
        for store in [&self.heads, &self.revisions, &self.have, &self.domains, &self.views] {
            breaks.add(store.breaks());
        }
        let case = known.unwrap_or(breaks.case());
        let (temporary, folds) = (self.temporary.clone(), case.folds());
        let sorting = |store: Store| store.sorting(&temporary, folds);
        let (heads, revisions, have) =
            (sorting(self.heads)?, sorting(self.revisions)?, sorting(self.have)?);
        let (domains, views, open) =
            (sorting(self.domains)?, sorting(self.views)?, sorting(self.open)?);
        let (streams, relations) = (sorting(self.streams)?, sorting(self.relations)?);
        let lately = self.lately.map(|lately| lately.sorting(&temporary, folds)).transpose()?;
        let sorted = Taken {
            heads,
            revisions,
            have,
            open,
            domains,
            views,
            streams,
            relations,
            lately,
            folds,
            ..self
        };
        Ok((sorted, case))
    }

    /// Takes a file that a client has, or has open.
    fn take_file(
        &mut self,
        table: Table,
        is_there: bool,
        path: &[u8],
        mut fields: Fields<'_>,
    ) -> Result<(), Refused> {
        if let Some(wanted) = &self.wanted {
            if !wanted.contains(&rows::client_of(path).to_ascii_lowercase()) {
                return Ok(());
            }
            if is_there {
                let depot = fields.text().ok_or(Refused::Damaged)?;
                let is_open = table == Table::Working;
                let time_s = if is_open { u64::MAX } else { rows::had_since_s(&mut fields) };
                put_number(&mut self.value, time_s);
                self.value.extend_from_slice(&depot);
            }
        }
        let store = if table == Table::Have { &mut self.have } else { &mut self.open };
        Ok(store.push([path, b""], is_there.then_some(&self.value))?)
    }

    fn folds_known(&self) -> bool {
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
        let is_same = |known: &[u8]| {
            if folds { known.eq_ignore_ascii_case(name) } else { known == name }
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
