//! Reads checkpoints and journals, and computes for each client the view that is sufficient for it.

use crate::assemble::make::{SortedTables, Sources, read_tables, unwritten};
use crate::assemble::rows::{HEAD_TAIL, REVISION_TAIL};
use crate::assemble::sweep::Paths;
use crate::assemble::tables::Tables;
use crate::base::order::Case;
use crate::base::trouble::Trouble;
use crate::rightsize::counts::Questions;
use crate::rightsize::needed::{
    ClientNeeds, Files, Holding, NeededFile, NeededFiles, Selection, by_depot_path, directories,
    selected_clients,
};
use crate::rightsize::tree::{Directory, Tree};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use crate::sorted::temporary::Temporary;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// A selected client with the depot directories that contain its needed files.
#[derive(Debug)]
pub struct Measured {
    /// The client, its current view and the number of files that it needs.
    pub client: ClientNeeds,
    /// Number of files that the client's current view spans.
    pub files: u64,
    /// The directories; `is_allowed` marks those that a view line may name because all needed files
    /// keep their places.
    pub tree: Tree,
}

/// Input of `rightsize`: needs, synced and opened files and views of the selected clients, sorted.
pub struct Gathered {
    clients: Vec<ClientNeeds>,
    directories: Vec<Run>,
    counts: Vec<u64>,
    folds: bool,
    /// The files that the clients have synced or opened, by client, depot path and client path.
    files: Vec<Run>,
    /// One line for each part of the checkpoints and journals that was not read.
    pub notes: Vec<String>,
}

/// Collects from checkpoints and journals the views, files and needs of the selected clients.
pub fn gather(
    sources: &Sources,
    selection: &Selection,
    temporary: &Temporary,
) -> Result<Gathered, Trouble> {
    let trouble = |error| unwritten(&error);
    let mut tables = Tables::new(temporary.clone()).map_err(trouble)?;
    let names = selection.clients.keys().cloned().collect();
    tables.want_files_of(names, selection.since_s).map_err(trouble)?;
    let SortedTables { tables, case, notes, .. } = read_tables(sources, tables, |_, _| ())?;
    let gathered = sort(tables, selection, case, temporary).map_err(trouble)?;
    Ok(Gathered { notes, ..gathered })
}

fn sort(
    tables: Tables,
    selection: &Selection,
    case: Case,
    temporary: &Temporary,
) -> io::Result<Gathered> {
    let folds = case.folds();
    let sorter = |folds| Sorter::new(temporary.clone(), folds);
    let has_no_heads = tables.has_no_heads();
    let (domains, views) = (tables.domains.into_runs()?, tables.views.into_runs()?);
    let mut clients = selected_clients(&domains, &views, selection, folds)?;
    let (have, open) = (tables.have.store.into_runs()?, tables.open.into_runs()?);
    let files = Files { runs: [&have, &open], lately: tables.lately, since_s: selection.since_s };
    let files = by_depot_path(files, &clients, folds, sorter(folds))?;
    let directories = directories(&files, &mut clients, folds, sorter(folds))?;
    let mut questions = Questions::new(sorter(false), folds);
    for client in &clients {
        questions.view(&client.view)?;
    }
    let mut merge = Merge::new(&directories, folds)?;
    while merge.advance()? {
        let path = Holding::read(merge.key(), b"").map(|holding| holding.path);
        questions.directory(&path.unwrap_or_default())?;
    }
    let (runs, tail) = if has_no_heads {
        (tables.revisions.into_runs()?, REVISION_TAIL)
    } else {
        (tables.heads.into_runs()?, HEAD_TAIL)
    };
    let counts = questions.counts(Paths { runs: &runs, tail, once: true, case })?;
    Ok(Gathered { clients, directories, counts, folds, files, notes: Vec::new() })
}

impl Gathered {
    /// Calls a function for each file that a client has synced or opened, with the client's name
    /// and whether the client needs the file.
    pub fn each_file(
        &self,
        mut visit: impl FnMut(&[u8], NeededFile<'_>, bool) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut files = NeededFiles::new(&self.files, self.folds)?;
        while files.advance()? {
            if let Some(file) = files.file()
                && let Some(client) = self.clients.get(file.client())
            {
                visit(&client.name, file, files.is_used(client))?;
            }
        }
        Ok(())
    }

    /// Calls a function for each client with its directories, in the order of the clients' names.
    pub fn each(
        self,
        mut visit: impl FnMut(Measured) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let damaged = |error: io::Error| Trouble::File(format!("a temporary file: {error}"));
        let mut merge = Merge::new(&self.directories, self.folds).map_err(damaged)?;
        let mut counts = self.counts.into_iter();
        let spans: Vec<u64> = counts.by_ref().take(self.clients.len()).collect();
        let mut next: Option<(Holding, u64)> = None;
        for (number, (client, files)) in self.clients.into_iter().zip(spans).enumerate() {
            let mut holdings = Vec::new();
            loop {
                if let Some(of_client) = next.take_if(|(holding, _)| holding.client == number) {
                    holdings.push(of_client);
                }
                if next.is_some() || !merge.advance().map_err(damaged)? {
                    break;
                }
                let files = counts.next().unwrap_or(0);
                next = Holding::read(merge.key(), merge.value()).map(|holding| (holding, files));
            }
            let tree = tree(&client, holdings, self.folds);
            visit(Measured { client, files, tree })?;
        }
        Ok(())
    }
}

/// Builds the tree of the directories that contain a client's files, each with its file count.
fn tree(client: &ClientNeeds, holdings: Vec<(Holding, u64)>, folds: bool) -> Tree {
    let mut rows: Vec<BTreeSet<usize>> = Vec::new();
    let mut directories = Vec::new();
    for (holding, files) in holdings {
        let has_needed = !holding.rows.is_empty();
        rows.push(holding.rows.into_iter().collect());
        let path = holding.path;
        directories.push(Directory { path, files, has_needed, is_allowed: false });
    }
    let mut tree = Tree::new(directories, folds);
    for place in (0..rows.len()).rev() {
        let children = tree.children.get(place).into_iter().flatten();
        let below: Vec<usize> =
            children.filter_map(|child| rows.get(*child)).flatten().copied().collect();
        if let (Some(rows), Some(directory)) =
            (rows.get_mut(place), tree.directories.get_mut(place))
        {
            rows.extend(below);
            let rows: Vec<usize> = rows.iter().copied().collect();
            directory.is_allowed = client.view.keeps(&directory.path, &rows);
        }
    }
    tree
}

/// The directory for temporary files: beside the source, where there is space.
#[must_use]
pub fn temporary_of(sources: &Sources) -> Temporary {
    let folder = sources.checkpoints.first().and_then(|path| path.parent()).map(Path::to_owned);
    let is_writable = |folder: &std::path::PathBuf| tempfile::tempfile_in(folder).is_ok();
    folder.filter(is_writable).map_or_else(Temporary::anywhere, Temporary::inside)
}
