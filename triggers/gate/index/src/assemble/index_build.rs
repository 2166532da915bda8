use crate::assemble::file_reader::FileReader;
use crate::assemble::index_writer::IndexContents;
use crate::assemble::listener::Listener;
use crate::assemble::tables::{KeptFiles, RecordError, Tables};
use crate::base::fault::Fault;
use crate::base::order::Case;
use crate::file::head::Head;
use crate::sorted::temporary_folder::TemporaryFolder;
use crate::source::checkpoint::with_journals;
use crate::source::ends::FileRole;
use crate::source::fields::Fields;
use crate::source::files::Part;
use crate::source::header::CHECKPOINT_START;
use crate::source::records::{Record, Records};
use crate::source::table::{Kind, Table};
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
    pub files: Option<KeptFiles>,
}

pub struct BuiltIndex {
    pub head: Head,
    pub contents: IndexContents,
    /// That the incomplete last record of the last journal was left out.
    pub notes: Vec<String>,
}

/// Builds the index under a temporary name and renames it when it is complete.
pub fn build(
    sources: &Sources,
    output: &Path,
    listener: &mut impl Listener,
) -> Result<BuiltIndex, Fault> {
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let fault = |error| Fault::of_file(output, &error);
    let temporary_folder = TemporaryFolder::in_folder(folder);
    let tables = Tables::new(temporary_folder.clone(), sources.files).map_err(fault)?;
    let (tables, case, notes) = read_tables(sources, tables, listener)?;
    let server_id = sources.server_id.as_ref().map(|id| id.clone().into_bytes());
    let mut contents = IndexContents { tables, case, server_id, temporary_folder };
    let head = contents.write(output).map_err(fault)?;
    Ok(BuiltIndex { head, contents, notes })
}

/// Determines the sort order of the checkpoints, unless the case setting is given, before the
/// journals.
fn read_tables(
    sources: &Sources,
    tables: Tables,
    listener: &mut impl Listener,
) -> Result<(Tables, Case, Vec<String>), Fault> {
    let files = with_journals(&sources.checkpoints, &sources.journals, FileRole::LastJournal)?;
    let mut reader = FileReader::of(&files);
    let (checkpoint, journals): (Vec<_>, Vec<_>) =
        files.iter().partition(|(_, role)| role.is_checkpoint());
    let mut keeper = Keeper { tables, listener };
    for (part, role) in checkpoint {
        reader.read(part, *role, &mut keeper)?;
    }
    let case = keeper.tables.decide(sources.case);
    let case = case.map_err(|error| Fault::of_temporary_file(&error))?;
    keeper.listener.case(case);
    for (part, role) in journals {
        reader.read(part, *role, &mut keeper)?;
    }
    Ok((keeper.tables, case, reader.notes))
}

/// Keeps what an index needs, and passes on what it hears.
struct Keeper<'l, L> {
    tables: Tables,
    listener: &'l mut L,
}

impl<L: Listener> Listener for Keeper<'_, L> {
    fn progress(&mut self, read_bytes: u64, of_bytes: u64) {
        self.listener.progress(read_bytes, of_bytes);
    }

    fn wants(&self, table: Table) -> bool {
        self.tables.is_used(table) || self.listener.wants(table)
    }

    fn part(&mut self, part: &Part) {
        self.listener.part(part);
    }

    fn record(&mut self, records: &Records, record: &Record) -> Result<(), Fault> {
        self.listener.record(records, record)?;
        let tables = &mut self.tables;
        match record.head.kind {
            Kind::Note if is_start(records, record) => tables.note_time(time_of(records, record)),
            Kind::Note => {}
            Kind::Commit => tables.note_time(time_of(records, record)),
            _ if tables.is_used(record.head.table) => take(records, record, tables)?,
            _ => {}
        }
        Ok(())
    }
}

fn take(records: &Records, record: &Record, tables: &mut Tables) -> Result<(), Fault> {
    let result = tables.take(record.head, records.values(record));
    result.map_err(|cause| match cause {
        RecordError::Damaged => records.value_error(record.offset),
        RecordError::Unkept(error) => Fault::of_temporary_file(&error),
    })
}

fn is_start(records: &Records, record: &Record) -> bool {
    Fields::new(records.values(record)).number() == Some(CHECKPOINT_START)
}

fn time_of(records: &Records, record: &Record) -> Option<i64> {
    let mut fields = Fields::new(records.values(record));
    fields.skip(1)?;
    fields.number()
}
