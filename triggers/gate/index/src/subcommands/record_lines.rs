use crate::assemble::listener::Listener;
use crate::base::fault::Fault;
use crate::base::order::Case;
use crate::source::fields::{Fields, Value};
use crate::source::files::Part;
use crate::source::records::{Record, Records};
use crate::source::table::{Kind, Table};
use crate::subcommands::longest_paths::LongestPaths;
use std::fmt::Write as _;
use std::io::{BufWriter, StdoutLock, Write, stdout};

/// Last version of `db.group` with a mark for subgroups in place of the type (2006.2, P4 Server
/// Schema).
const LAST_WITHOUT_TYPE: u32 = 5;
/// Types of members in `db.group`.
const USER: i64 = 1;
const SUBGROUP: i64 = 2;

/// Prints each record of its tables as `["pv", "domain", [VALUE, ...], VERSION]`, or with `dv` if it
/// is a deletion (groups as since 2007.3); notes and the first end of a transaction of a
/// file as `["nx", TYPE or PROCESS, TIME]`; before the
/// records of a file `["file", PATH]`; at intervals the bytes read of the stored files and their
/// total as `["at", BYTES, TOTAL]`; and after the checkpoint `["case", CASE]`. Each byte that is not
/// UTF-8 becomes `\udcNN`, as in Python.
pub struct RecordLines {
    tables: Vec<(String, Table)>,
    to: BufWriter<StdoutLock<'static>>,
    line: String,
    /// Of the file that is being read.
    has_commit: bool,
    pub longest: LongestPaths,
}

impl RecordLines {
    /// Of the tables named in `names`, such as `domain,view`.
    pub fn of(names: &str) -> Result<Self, Fault> {
        let tables: Vec<(String, Table)> = names
            .split(',')
            .filter(|name| !name.is_empty())
            .map(|name| (name.to_owned(), Table::by_name(name.as_bytes())))
            .collect();
        if let Some((name, _)) = tables.iter().find(|(_, table)| *table == Table::Other) {
            return Err(Fault::Usage(format!("--tables: {name} is no table that is read")));
        }
        let to = BufWriter::with_capacity(1 << 16, stdout().lock());
        Ok(RecordLines {
            tables,
            to,
            line: String::new(),
            has_commit: false,
            longest: LongestPaths::default(),
        })
    }

    pub fn flush(&mut self) -> Result<(), Fault> {
        self.to.flush().map_err(|error| Fault::of_output(&error))
    }

    fn print(&mut self) -> Result<(), Fault> {
        self.line.push('\n');
        self.to.write_all(self.line.as_bytes()).map_err(|error| Fault::of_output(&error))
    }

    /// Writing to a `String` cannot fail. An error of standard output comes back with the next
    /// record.
    fn print_about(&mut self, word: &str, text: &[u8]) {
        self.line.clear();
        let _ = write!(self.line, "[\"{word}\",");
        put_text(&mut self.line, text);
        self.line.push(']');
        let _ = self.print();
    }

    fn put(&mut self, name: Option<usize>, records: &Records, record: &Record) {
        let (line, mut fields) = (&mut self.line, Fields::new(records.values(record)));
        let name = name.and_then(|place| self.tables.get(place)).map(|(name, _)| name);
        let Some(name) = name else {
            line.push_str("[\"nx\",");
            put_values(line, &mut fields, 2);
            return line.push(']');
        };
        let word = if record.head.kind == Kind::Delete { "dv" } else { "pv" };
        let _ = write!(line, "[\"{word}\",\"{name}\",[");
        if record.head.table == Table::Group && record.head.version <= LAST_WITHOUT_TYPE {
            put_old_group(line, fields);
        } else {
            put_values(line, &mut fields, usize::MAX);
        }
        let _ = write!(line, "],{}]", record.head.version);
    }
}

impl Listener for RecordLines {
    fn progress(&mut self, read_bytes: u64, of_bytes: u64) {
        self.line.clear();
        let _ = write!(self.line, "[\"at\",{read_bytes},{of_bytes}]");
        let _ = self.print();
    }

    fn wants(&self, table: Table) -> bool {
        self.tables.iter().any(|(_, other)| *other == table)
    }

    fn part(&mut self, part: &Part) {
        self.has_commit = false;
        self.print_about("file", part.path.as_os_str().as_encoded_bytes());
    }

    fn record(&mut self, records: &Records, record: &Record) -> Result<(), Fault> {
        let head = record.head;
        self.longest.take(head, || Fields::new(records.values(record)).text());
        let place = self.tables.iter().position(|(_, table)| *table == head.table);
        let is_commit = head.kind == Kind::Commit;
        let is_time = head.kind == Kind::Note || is_commit && !self.has_commit;
        self.has_commit |= is_commit;
        if place.is_none() && !is_time {
            return Ok(());
        }
        self.line.clear();
        self.put(place, records, record);
        self.print()
    }

    fn case(&mut self, case: Case) {
        self.print_about("case", case.name().as_bytes());
    }
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
