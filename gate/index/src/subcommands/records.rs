//! `p4warden-index records`: prints the records of requested tables of a checkpoint or journal,
//! with notes and positions, as JSON lines in the order of the file.

use crate::base::options::Options;
use crate::base::trouble::Trouble;
use crate::source::fields::{Fields, Value};
use crate::source::files::{Part, open, parts};
use crate::source::records::{Record, Records};
use crate::source::table::{Kind, Table};
use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write, stdout};
use std::path::PathBuf;
use std::rc::Rc;

/// Number of records of the requested tables, notes and ends of transactions after which
/// `p4warden-index records` again prints its position in the checkpoint or journal file.
const STEP: u64 = 1 << 14;

/// Runs `p4warden-index records`. Prints each record of the tables named by `--tables` (such as
/// `domain,view`) as `["pv", "domain", [VALUE, ...]]`, or with `dv` if it is a deletion; checkpoint
/// notes as `["nx", TYPE, TIME]`; the first end of a transaction as `["ex", PROCESS, TIME]`; and at
/// intervals the number of bytes read from the stored file as `["at", BYTES]`. Each byte that is
/// not UTF-8 becomes `\udcNN`, as in Python. With `--growing` the last record may be incomplete; it
/// is then left out.
pub fn run(words: &[OsString]) -> Result<(), Trouble> {
    let options = Options::read(words, &["growing"], &["tables"])?;
    let (file, _) = options.file_and_rest()?;
    let tables = options.get("tables").unwrap_or_default();
    let tables: Vec<(&str, Table)> =
        tables.split(',').map(|name| (name, Table::by_name(name.as_bytes()))).collect();
    let mut to = BufWriter::with_capacity(1 << 16, stdout().lock());
    for part in parts(&[PathBuf::from(file)])? {
        if let Some(error) = print(&part, &tables, options.has("growing"), &mut to)? {
            return if is_closed(&error) { Ok(()) } else { Err(write_error(&error)) };
        }
    }
    to.flush().map_err(|error| write_error(&error))
}

/// Prints the requested records, the notes and the positions of one checkpoint or journal file;
/// returns the error of writing to standard output, if any.
fn print(
    part: &Part,
    tables: &[(&str, Table)],
    grows: bool,
    to: &mut impl Write,
) -> Result<Option<io::Error>, Trouble> {
    let read_bytes = Rc::new(Cell::new(0));
    let text = open(&part.path, Rc::clone(&read_bytes))?;
    let mut records = Records::new(text, part.path.display().to_string());
    records = if grows { records.growing() } else { records };
    let (mut line, mut count, mut has_time) = (String::new(), 0_u64, false);
    let is_used = |table| tables.iter().any(|(_, other)| *other == table);
    loop {
        let next = records.next(is_used);
        let Some(record) = next.inspect_err(|_| drop(to.flush()))? else {
            return Ok(to.flush().err());
        };
        line.clear();
        let is_commit = record.head.kind == Kind::Commit;
        if !is_commit || !has_time {
            put(&mut line, &records, &record, tables);
        }
        has_time |= is_commit;
        count += 1;
        if count.is_multiple_of(STEP) {
            // Writing to a `String` cannot fail, so the result is ignored.
            let _ = writeln!(line, "[\"at\",{}]", read_bytes.get());
        }
        if let Err(error) = to.write_all(line.as_bytes()) {
            return Ok(Some(error));
        }
    }
}

fn put(line: &mut String, records: &Records, record: &Record, tables: &[(&str, Table)]) {
    let mut fields = Fields::new(records.values(record));
    let word = match record.head.kind {
        Kind::Put | Kind::Replace => "pv",
        Kind::Delete => "dv",
        Kind::Note => "nx",
        _ => "ex",
    };
    let _ = write!(line, "[\"{word}\",");
    if matches!(record.head.kind, Kind::Put | Kind::Replace | Kind::Delete) {
        let name = tables.iter().find(|(_, table)| *table == record.head.table);
        let _ = write!(line, "\"{}\",[", name.map_or("", |(name, _)| name));
        put_values(line, &mut fields, usize::MAX);
        line.push(']');
    } else {
        put_values(line, &mut fields, 2);
    }
    line.push_str("]\n");
}

fn put_values(line: &mut String, fields: &mut Fields<'_>, most: usize) {
    let mut separator = "";
    for _ in 0..most {
        let Some(value) = fields.value() else { break };
        line.push_str(separator);
        match value {
            Value::Number(number) => {
                let _ = write!(line, "{number}");
            }
            Value::Text(text) => put_text(line, &text),
        }
        separator = ",";
    }
}

fn put_text(line: &mut String, text: &[u8]) {
    line.push('"');
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => line.extend(['\\', letter]),
                ..' ' => {
                    let _ = write!(line, "\\u{:04x}", u32::from(letter));
                }
                _ => line.push(letter),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(line, "\\udc{byte:02x}");
        }
    }
    line.push('"');
}

fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

fn write_error(error: &io::Error) -> Trouble {
    Trouble::File(format!("the standard output: {error}"))
}
