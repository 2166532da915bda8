//! The changes of a transaction count only when it is complete.

use crate::assemble::journal_place::position;
use crate::base::fault::Fault;
use crate::file::position::Position;
use crate::source::fields::Fields;
use crate::source::files::open_from;
use crate::source::records::{Record, Records};
use crate::source::table::{Kind, Table};
use crate::update::pieces::Piece;

pub trait RecordReceiver {
    fn is_used(table: Table) -> bool;
    /// None if the record is damaged.
    fn take(&mut self, record: &Record, values: &[u8]) -> Result<Option<()>, Fault>;
    /// Also called at the end of a journal whose last records count without an end mark; `time_s`
    /// is in seconds since the Unix epoch, None if the journal does not state it.
    fn commit(&mut self, time_s: Option<u64>);
}

/// The records of a journal without transaction marks, and those after the last mark of a rotated
/// journal, count as one transaction. Returns the journal position up to which records count.
pub fn read(pieces: &[Piece], to: &mut impl RecordReceiver) -> Result<Option<Position>, Fault> {
    let mut ends: Vec<(&Piece, u64)> = Vec::new();
    for piece in pieces {
        let mut reading = JournalReading { piece, end: None, has_more: false };
        let records = reading.read(to)?;
        ends.extend(reading.end.map(|end| (piece, end)));
        let has_no_marks = reading.end.is_none() && piece.start == 0;
        if reading.has_more && (has_no_marks || !piece.is_growing) {
            // The journal has no transaction marks, or was rotated within a transaction.
            to.commit(None);
            ends.push((piece, records));
        }
    }
    let Some((piece, end)) = ends.last() else {
        return Ok(None);
    };
    position(&piece.path, *end)
}

struct JournalReading<'p> {
    piece: &'p Piece,
    /// Of the last complete transaction read so far.
    end: Option<u64>,
    has_more: bool,
}

impl JournalReading<'_> {
    /// Returns the offset of the end of the last complete record.
    fn read<T: RecordReceiver>(&mut self, to: &mut T) -> Result<u64, Fault> {
        let Piece { path, start, is_growing } = self.piece;
        let text = open_from(path, *start).map_err(|error| Fault::of_file(path, &error))?;
        let Some(text) = text else {
            return Err(Fault::File(format!(
                "{}: was truncated while it was read",
                path.display()
            )));
        };
        let records = Records::new(text, path.display().to_string()).starting_at(*start);
        let mut records = if *is_growing { records.growing() } else { records };
        while let Some(record) = records.next(T::is_used)? {
            if record.head.kind == Kind::Commit {
                let mut fields = Fields::new(records.values(&record));
                let time_s = fields.skip(1).and_then(|()| fields.number());
                to.commit(time_s.and_then(|time_s| u64::try_from(time_s).ok()));
                (self.end, self.has_more) = (Some(records.read_bytes()), false);
            } else if record.head.kind != Kind::Note {
                self.has_more = true;
                if to.take(&record, records.values(&record))?.is_none() {
                    return Err(records.value_error(record.offset));
                }
            }
        }
        Ok(records.unfinished_at.unwrap_or(records.read_bytes()))
    }
}
