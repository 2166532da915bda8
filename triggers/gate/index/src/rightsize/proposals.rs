use crate::assemble::index_writer::IndexContents;
use crate::assemble::rows::{HEAD_TAIL, REVISION_TAIL};
use crate::assemble::sweep::Paths;
use crate::base::fault::Fault;
use crate::rightsize::counts::Questions;
use crate::rightsize::directories::{NeededDirectory, directories};
use crate::rightsize::needed_files::{
    ClientNeeds, NeededFile, NeededFiles, Selection, by_depot_path, selected_clients,
};
use crate::rightsize::tree::{Directory, Tree, is_file};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use crate::sorted::sorter::Sorter;
use std::io;

/// A selected client, with the directories from which its proposed view is chosen.
#[derive(Debug)]
pub struct MeasuredClient {
    pub client: ClientNeeds,
    /// Mapped by the current view; files that a line excludes count as well.
    pub files: u64,
    pub tree: Tree,
}

pub struct ClientData {
    clients: Vec<ClientNeeds>,
    directories: Vec<Run>,
    counts: Vec<u64>,
    folds: bool,
    /// As `by_depot_path` wrote them.
    files: Vec<Run>,
}

/// Also counts the files in the clients' views and directories.
pub fn gather(mut contents: IndexContents, selection: &Selection) -> io::Result<ClientData> {
    let (case, folds) = (contents.case, contents.case.folds());
    let sorter = |folds| Sorter::new(contents.temporary_folder.clone(), folds);
    let tables = &mut contents.tables;
    let mut clients =
        selected_clients(&tables.domains.runs()?, &tables.views.runs()?, selection, folds)?;
    let files = by_depot_path(tables, &clients, case, sorter(folds))?;
    let directories = directories(&files, &mut clients, folds, sorter(folds))?;
    let mut questions = Questions::new(sorter(false), folds);
    for client in &clients {
        questions.view(&client.view)?;
    }
    let mut merge = Merge::new(&directories, folds)?;
    while merge.advance()? {
        let path = NeededDirectory::read(merge.key(), merge.value()).map(|holding| holding.path);
        let path = path.unwrap_or_default();
        if !is_file(&path) {
            questions.directory(&path)?;
        }
    }
    let (runs, tail) = if tables.has_no_heads() {
        (tables.revisions.runs()?, REVISION_TAIL)
    } else {
        (tables.heads.runs()?, HEAD_TAIL)
    };
    let counts = questions.counts(Paths { runs: &runs, tail, is_counted_once: true, case })?;
    Ok(ClientData { clients, directories, counts, folds, files })
}

impl ClientData {
    /// `visit` gets the client's name and whether the client needs the file.
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

    /// In the order of the client names.
    pub fn each(
        self,
        mut visit: impl FnMut(MeasuredClient) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let damaged = |error: io::Error| Fault::File(format!("a temporary file: {error}"));
        let mut merge = Merge::new(&self.directories, self.folds).map_err(damaged)?;
        let mut counts = self.counts.into_iter();
        let spans: Vec<u64> = counts.by_ref().take(self.clients.len()).collect();
        let mut directories = std::iter::from_fn(|| {
            let needed = match merge.advance() {
                Ok(true) => NeededDirectory::read(merge.key(), merge.value())?,
                Ok(false) => return None,
                Err(error) => return Some(Err(damaged(error))),
            };
            let files = if is_file(&needed.path) { 1 } else { counts.next()? };
            let NeededDirectory { client, path, has_needed, is_allowed } = needed;
            Some(Ok((client, Directory { path, files, has_needed, is_allowed })))
        })
        .peekable();
        for (number, (client, files)) in self.clients.into_iter().zip(spans).enumerate() {
            let mut of_client = Vec::new();
            while let Some(next) = directories
                .next_if(|next| next.as_ref().map_or(true, |(client, _)| *client == number))
            {
                of_client.push(next?.1);
            }
            let tree = Tree::new(of_client, client.view.folds);
            visit(MeasuredClient { client, files, tree })?;
        }
        Ok(())
    }
}
