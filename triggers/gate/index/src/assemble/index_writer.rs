use crate::assemble::change_writer;
use crate::assemble::clients::{self, ClientRuns, Row};
use crate::assemble::places;
use crate::assemble::range_counts::{RangeCounter, add_ranges};
use crate::assemble::rows::{HAS_OWN_HAVE, HEAD_TAIL, REVISION_TAIL};
use crate::assemble::streams::{self, StreamRuns};
use crate::assemble::sweep::{Paths, SweepResult, SweepSettings, sweep};
use crate::assemble::tables::Tables;
use crate::assemble::unfinished_file::{FileOutput, UnfinishedFile};
use crate::assemble::users;
use crate::base::order::Case;
use crate::file::client::{Client, ClientMapping, ClientStream};
use crate::file::head::Head;
use crate::file::tree::{Tree, TreeWriter};
use crate::ranges::range::range;
use crate::ranges::union::union;
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::temporary_folder::TemporaryFolder;
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// Files, or revisions, between two samples. A range between two samples is known to less than two
/// steps.
pub const STEP: u64 = 250;

/// Files or revisions that a client's view must span for its synced directories to be stored. They
/// serve as proposals when a policy refuses too wide a view, and few policies refuse fewer.
const MIN_ADVISED: u64 = 500;

/// From which a checkpoint index is written.
pub struct IndexContents {
    pub tables: Tables,
    /// `Either` if the sort order fits both settings.
    pub case: Case,
    pub server_id: Option<Vec<u8>>,
    pub temporary_folder: TemporaryFolder,
}

impl IndexContents {
    /// Under a temporary name, then renamed to `output`.
    pub fn write(&mut self, output: &Path) -> io::Result<Head> {
        let mut unfinished = UnfinishedFile::of(output)?;
        let head = self.write_trees(&mut unfinished.out)?;
        unfinished.finish(&head.bytes())?;
        Ok(head)
    }

    fn sorter(&self) -> Sorter {
        Sorter::new(self.temporary_folder.clone(), self.case.folds())
    }

    fn write_trees(&mut self, out: &mut FileOutput) -> io::Result<Head> {
        let folds = self.case.folds();
        let has_no_heads = self.tables.has_no_heads();
        let (change, time_s) = (self.tables.change, self.tables.time_s);
        let mut places = self.sorter();
        places::note_depots(&self.tables.depots, &mut places)?;
        let (revisions, heads) = (self.tables.revisions.runs()?, self.tables.heads.runs()?);
        let clients = self.clients()?;
        let Questions { ranges, count, servers_with_have, users } = self.questions(&clients)?;
        let in_revisions = Paths {
            runs: &revisions,
            tail: REVISION_TAIL,
            is_counted_once: false,
            case: self.case,
        };
        let in_heads =
            Paths { runs: &heads, tail: HEAD_TAIL, is_counted_once: true, case: self.case };
        let in_heads =
            if has_no_heads { Paths { is_counted_once: true, ..in_revisions } } else { in_heads };
        let mut swept = |table, paths| {
            let into = SweepSettings {
                step: STEP,
                directory_samples: self.sorter(),
                places: &mut places,
                table,
            };
            sweep(paths, RangeCounter::new(&ranges, count)?, into, out)
        };
        let (files, revisions) = (swept(0, in_heads)?, swept(1, in_revisions)?);
        let changes = change_writer::write(self.tables.changes.collected(folds)?, out)?;
        // Old or filtered checkpoints have no records by changelist.
        let changes = changes.filter(|changes| changes.records > 0 || revisions.total == 0);
        let [streams, stream_views] = self.write_streams(&clients.domains, out)?;
        let is_of_bytes = files.order_is_of_bytes || revisions.order_is_of_bytes;
        Ok(Head {
            step: STEP,
            server_id: self.server_id.clone(),
            case: settled_case(self.case, is_of_bytes),
            change,
            time_s,
            totals: [files.total, revisions.total],
            samples: [files.samples, revisions.samples],
            directory_samples: [
                tree(&files.directory_samples, folds, out)?,
                tree(&revisions.directory_samples, folds, out)?,
            ],
            clients: self.write_clients(&clients, &servers_with_have, &[files, revisions], out)?,
            places: places::write(&places.into_runs()?, folds, out)?,
            streams,
            users: users::write(&users, folds, out)?,
            stream_views,
            changes,
        })
    }

    fn clients(&mut self) -> io::Result<ClientRuns> {
        let (folds, have) = (self.case.folds(), self.tables.have.runs()?);
        Ok(ClientRuns {
            domains: self.tables.domains.runs()?,
            views: self.tables.views.runs()?,
            have: clients::count_have(&have, folds, self.sorter())?,
            folds,
        })
    }

    fn questions(&self, clients: &ClientRuns) -> io::Result<Questions> {
        let mut ranges = Sorter::new(self.temporary_folder.clone(), false);
        let mut users = self.sorter();
        let (mut number, mut servers_with_have) = (0, HashSet::new());
        clients::each(clients, |row| {
            let of_view = row.mapping.view.iter().map(|line| range(&line.depot, clients.folds));
            add_ranges(&mut ranges, number, &union(&of_view.collect::<Vec<_>>()))?;
            users::note(&row, number, clients.folds, &mut users)?;
            number += 1;
            if row.have > 0 {
                servers_with_have.insert(row.domain.server_id);
            }
            Ok(())
        })?;
        let (ranges, users) = (ranges.into_runs()?, users.into_runs()?);
        Ok(Questions { ranges, count: number as usize, servers_with_have, users })
    }

    fn write_clients(
        &self,
        clients: &ClientRuns,
        servers_with_have: &HashSet<Vec<u8>>,
        swept: &[SweepResult; 2],
        out: &mut FileOutput,
    ) -> io::Result<Tree> {
        let is_here = |server_id: &Vec<u8>| match &self.server_id {
            _ if server_id.is_empty() => true,
            Some(own) => own == server_id,
            None => servers_with_have.contains(server_id),
        };
        let (mut tree, mut number) = (TreeWriter::default(), 0);
        clients::each(clients, |row| {
            let [files, revisions] = swept.each_ref().map(|one| one.client_counts.get(number));
            let totals = [files, revisions].map(|count| count.copied().unwrap_or(0));
            number += 1;
            let is_known = row.domain.options & HAS_OWN_HAVE == 0 && is_here(&row.domain.server_id);
            let have = is_known.then_some(row.have);
            let Row { name, domain, mapping, synced_directories, .. } = row;
            let used_s = domain.last_s();
            let stream =
                (!domain.stream.is_empty()).then_some(ClientStream { name: domain.stream, used_s });
            let roots = domain.roots.into_iter().filter(|root| !root.is_empty()).collect();
            let is_wide = totals.iter().any(|total| *total >= MIN_ADVISED);
            let synced_directories =
                synced_directories.into_iter().filter(|_| is_wide).map(|(_, path)| path).collect();
            let client = Client {
                totals,
                have,
                stream,
                owner: domain.owner,
                synced_directories,
                mapping: ClientMapping { roots, ..mapping },
                ..Client::default()
            };
            tree.push(out, &name, &client.bytes())
        })?;
        tree.finish(out)
    }

    fn write_streams(&mut self, domains: &[Run], out: &mut FileOutput) -> io::Result<[Tree; 2]> {
        let runs = StreamRuns {
            domains,
            streams: self.tables.streams.runs()?,
            relations: self.tables.relations.runs()?,
            templates: self.tables.templates.runs()?,
            folds: self.case.folds(),
        };
        streams::write(&runs, out)
    }
}

/// Prepared before the passes over the tables of files and revisions.
struct Questions {
    /// Terms of the clients' views, sorted by the text before the first wildcard.
    ranges: Vec<Run>,
    count: usize,
    /// `ServerID` values of clients with `db.have` records; empty for a client not bound to a
    /// server.
    servers_with_have: HashSet<Vec<u8>>,
    /// As `users::note` writes them, sorted by user name.
    users: Vec<Run>,
}

fn tree(runs: &[Run], folds: bool, out: &mut FileOutput) -> io::Result<Tree> {
    let (mut merge, mut tree) = (Merge::new(runs, folds)?, TreeWriter::default());
    while merge.advance()? {
        tree.push(out, merge.key(), merge.value())?;
    }
    tree.finish(out)
}

/// If both sort orders fit the checkpoint's tables, names added by a journal may still show that
/// the server is case-sensitive.
fn settled_case(case: Case, order_is_of_bytes: bool) -> Case {
    if case == Case::Either && order_is_of_bytes { Case::Sensitive } else { case }
}
