use crate::assemble::file_reader;
use crate::assemble::index_writer::IndexContents;
use crate::assemble::listener::Listener;
use crate::assemble::tables::Tables;
use crate::base::fault::Fault;
use crate::base::order::Case;
use crate::file::head::Head;
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::checkpoint::{parts, with_journals};
use crate::source::ends::FileRole;
use crate::source::files::Part;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// A checkpoint file or the folder of a parallel checkpoint, or its files.
    pub checkpoints: Vec<PathBuf>,
    /// Written after the checkpoint, oldest first.
    pub journals: Vec<PathBuf>,
    pub server_id: Option<String>,
    /// None if it has to be determined from the sort order of the checkpoint's tables.
    pub case: Option<Case>,
}

#[derive(Debug)]
pub struct BuiltIndex {
    pub head: Head,
    pub notes: Vec<String>,
}

/// Builds the index under a temporary name and renames it when it is complete. If the only source
/// is one checkpoint file, its `db.have` records are only summarized; the checkpoint is read a
/// second time if the summary is not valid, for example because these records are out of order.
/// Not so with a listener that wants records: it gets them once, so nothing is read twice.
pub fn build(
    sources: &Sources,
    output: &Path,
    listener: &mut impl Listener,
) -> Result<BuiltIndex, Fault> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let fault = |error| Fault::of_file(output, &error);
    let temporary_folder = TemporaryFolder::in_folder(folder);
    let new_tables = || Tables::new(temporary_folder.clone()).map_err(fault);
    let mut tables = new_tables()?;
    if is_one_file(sources)? && !listener.hears_records() {
        tables.have = tables.have.without_records();
    }
    let mut sorted = read_tables(sources, tables, listener)?;
    if sorted.tables.have.lacks_records() {
        sorted = read_tables(sources, new_tables()?, listener)?;
    }
    let SortedTables { tables, case, notes } = sorted;
    let server_id = sources.server_id.as_ref().map(|id| id.clone().into_bytes());
    let contents = IndexContents { tables, case, server_id, temporary_folder };
    let head = contents.write(output).map_err(fault)?;
    Ok(BuiltIndex { head, notes })
}

/// p4d usually writes tables in sorted order, and a file can be read a second time if they are not.
fn is_one_file(sources: &Sources) -> Result<bool, Fault> {
    let checkpoints = parts(&sources.checkpoints)?;
    let is_file = |part: &Part| part.stored_bytes > 0 && !part.is_one_of_many;
    Ok(sources.journals.is_empty() && matches!(checkpoints.as_slice(), [part] if is_file(part)))
}

/// What was read from all checkpoints and journals.
pub struct SortedTables {
    pub tables: Tables,
    pub case: Case,
    /// That the incomplete last record of the last journal was left out.
    pub notes: Vec<String>,
}

/// Determines the sort order of the checkpoints, unless the case setting is given, before the
/// journals.
pub fn read_tables(
    sources: &Sources,
    mut tables: Tables,
    listener: &mut impl Listener,
) -> Result<SortedTables, Fault> {
    let files = with_journals(&sources.checkpoints, &sources.journals, FileRole::LastJournal)?;
    let of_bytes = files.iter().map(|(part, _)| part.stored_bytes).sum();
    let mut read_progress = ReadProgress { notes: Vec::new(), before_bytes: 0, of_bytes };
    let (checkpoint, journals): (Vec<_>, Vec<_>) =
        files.iter().partition(|(_, role)| role.is_checkpoint());
    for (part, role) in checkpoint {
        read_progress.part(part, *role, &mut tables, listener)?;
    }
    let (mut tables, case) =
        tables.decide(sources.case).map_err(|error| Fault::of_temporary_file(&error))?;
    listener.case(case);
    for (part, role) in journals {
        read_progress.part(part, *role, &mut tables, listener)?;
    }
    Ok(SortedTables { tables, case, notes: read_progress.notes })
}

struct ReadProgress {
    notes: Vec<String>,
    before_bytes: u64,
    of_bytes: u64,
}

impl ReadProgress {
    fn part(
        &mut self,
        part: &Part,
        role: FileRole,
        tables: &mut Tables,
        listener: &mut impl Listener,
    ) -> Result<(), Fault> {
        listener.part(part);
        let from = [self.before_bytes, self.of_bytes];
        let note = file_reader::read(part, role, tables, listener, from)?;
        self.notes.extend(note);
        self.before_bytes += part.stored_bytes;
        Ok(())
    }
}
