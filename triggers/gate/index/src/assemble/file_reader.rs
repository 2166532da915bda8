use crate::assemble::listener::Listener;
use crate::assemble::tables::{RecordError, Tables};
use crate::base::fault::Fault;
use crate::source::ends::FileRole;
use crate::source::fields::Fields;
use crate::source::files::Part;
use crate::source::header::CHECKPOINT_START;
use crate::source::records::{Record, Records};
use crate::source::table::Kind;
use std::cell::Cell;
use std::rc::Rc;

/// Processed records between two reports of progress.
const STEP: u64 = 1 << 16;

/// Returns a note if the file's last record is incomplete and was left out.
pub fn read(
    part: &Part,
    role: FileRole,
    tables: &mut Tables,
    listener: &mut impl Listener,
    [before_bytes, of_bytes]: [u64; 2],
) -> Result<Option<String>, Fault> {
    let read_bytes = Rc::new(Cell::new(0));
    let mut records = Records::of(part, role, Rc::clone(&read_bytes))?;
    let mut count = 0_u64;
    while let Some(record) = records.next(|table| tables.is_used(table) || listener.wants(table))? {
        listener.record(&records, &record)?;
        match record.head.kind {
            Kind::Note if is_start(&records, &record) => {
                tables.note_time(time_of(&records, &record, 1));
            }
            Kind::Note => {}
            Kind::Commit => tables.note_time(time_of(&records, &record, 1)),
            _ if tables.is_used(record.head.table) => take(&records, &record, tables)?,
            _ => {}
        }
        count += 1;
        if count.is_multiple_of(STEP) {
            listener.progress(before_bytes + read_bytes.get(), of_bytes);
        }
    }
    listener.progress(before_bytes + read_bytes.get(), of_bytes);
    Ok(records.unfinished_at.map(|at| {
        let path = part.path.display();
        format!("{path}: byte {at}: the last record is incomplete and was left out")
    }))
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

fn time_of(records: &Records, record: &Record, place: usize) -> Option<i64> {
    let mut fields = Fields::new(records.values(record));
    fields.skip(place)?;
    fields.number()
}
