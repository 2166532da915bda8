use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::source::checkpoint::with_journals;
use crate::source::ends::FileRole;
use crate::source::fields::{Fields, Value};
use crate::source::files::Part;
use crate::source::records::{Record, Records};
use crate::source::table::{Kind, Table};
use std::cell::Cell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write, stdout};
use std::path::PathBuf;
use std::rc::Rc;

/// After so many records the position in the file is printed again.
const STEP: u64 = 1 << 14;

/// Last version of `db.group` with a mark for subgroups in place of the type (2006.2, P4 Server
/// Schema).
const LAST_WITHOUT_TYPE: u32 = 5;
/// Types of members in `db.group`.
const USER: i64 = 1;
const SUBGROUP: i64 = 2;

/// Runs `p4warden-index records`. Prints each record of the tables named by `--tables` (such as
/// `domain,view`) as `["pv", "domain", [VALUE, ...], VERSION]`, or with `dv` if it is a deletion (groups as since 2007.3); checkpoint
/// notes as `["nx", TYPE, TIME]`; the first end of a transaction as `["ex", PROCESS, TIME]`; and at
/// intervals the number of bytes read from the stored file as `["at", BYTES]`. Each byte that is
/// not UTF-8 becomes `\udcNN`, as in Python. With `--growing` the last record of the last journal may
/// be incomplete; it is then left out.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &["growing"], &["tables", "journal"])?;
    let checkpoint: Vec<PathBuf> = options.words.iter().map(PathBuf::from).collect();
    let journals: Vec<PathBuf> = options.all("journal").map(PathBuf::from).collect();
    let last = if options.has("growing") { FileRole::LastJournal } else { FileRole::Journal };
    let tables = options.get("tables").unwrap_or_default();
    let tables: Vec<(&str, Table)> =
        tables.split(',').map(|name| (name, Table::by_name(name.as_bytes()))).collect();
    if let Some((name, _)) = tables.iter().find(|(_, table)| *table == Table::Other) {
        return Err(Fault::Usage(format!("--tables: {name} is no table that is read")));
    }
    let mut to = BufWriter::with_capacity(1 << 16, stdout().lock());
    for (part, role) in with_journals(&checkpoint, &journals, last)? {
        if let Some(error) = print(&part, role, &tables, &mut to)? {
            return if is_closed(&error) { Ok(()) } else { Err(write_error(&error)) };
        }
    }
    to.flush().map_err(|error| write_error(&error))
}

/// Returns the error of writing to standard output, if any.
fn print(
    part: &Part,
    role: FileRole,
    tables: &[(&str, Table)],
    to: &mut impl Write,
) -> Result<Option<io::Error>, Fault> {
    let read_bytes = Rc::new(Cell::new(0));
    let mut records = Records::of(part, role, Rc::clone(&read_bytes))?;
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
            // Writing to a `String` cannot fail.
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
        if record.head.table == Table::Group && record.head.version <= LAST_WITHOUT_TYPE {
            put_old_group(line, fields);
        } else {
            put_values(line, &mut fields, usize::MAX);
        }
        let _ = write!(line, "],{}", record.head.version);
    } else {
        put_values(line, &mut fields, 2);
    }
    line.push_str("]\n");
}

/// Prints a record of `db.group` in the fields of later versions: whether the member is a group
/// becomes a type, and a limit that the record's release did not have is null. Those before 2006.2
/// are told by their number of fields (inferred): without MaxLockTime it is six.
fn put_old_group(line: &mut String, mut fields: Fields<'_>) {
    put_values(line, &mut fields, 2);
    let Some(Value::Number(is_subgroup)) = fields.value() else { return };
    let _ = write!(line, ",{}", if is_subgroup == 0 { USER } else { SUBGROUP });
    let limits: Vec<String> =
        std::iter::from_fn(|| fields.number()).map(|number| number.to_string()).collect();
    let unknown = || "null".to_owned();
    let (limits, timeout) = match limits.as_slice() {
        [limits @ .., timeout] if limits.len() >= 2 => (limits, timeout.clone()),
        _ => (&[][..], unknown()),
    };
    for number in 0..3 {
        let _ = write!(line, ",{}", limits.get(number).cloned().unwrap_or_else(unknown));
    }
    let _ = write!(line, ",{timeout}");
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

fn write_error(error: &io::Error) -> Fault {
    Fault::File(format!("the standard output: {error}"))
}
