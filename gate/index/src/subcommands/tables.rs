//! `p4warden-index tables`: the records of small tables, in the order of the files.
//!
//! Each is a line of JSON: `table`, `op` (`put` or `delete`) and `values`, numbers as text. With
//! `--keys-from` only records whose first value is a line of the standard input.

use crate::base::trouble::Trouble;
use crate::source::fields::Fields;
use crate::source::files::{open, parts};
use crate::source::records::Records;
use crate::source::table::{Kind, TABLES, Table};
use crate::subcommands::json_lines::{Lines, text};
use crate::subcommands::options::Options;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{BufRead, stdin};
use std::path::PathBuf;
use std::rc::Rc;

/// Prints the records of the tables that are named.
pub fn run(words: &[OsString]) -> Result<(), Trouble> {
    let options = Options::read(words, &["keys-from"], &["table"])?;
    let names: Vec<&str> = options.all("table").collect();
    if names.is_empty() || options.words.is_empty() {
        return Err(Trouble::Usage("a table or a file is missing".to_owned()));
    }
    let wanted = names.iter().map(|name| known(name)).collect::<Result<Vec<_>, _>>()?;
    let keys = if options.has("keys-from") { Some(keys()?) } else { None };
    let files: Vec<PathBuf> = options.words.iter().map(PathBuf::from).collect();
    let mut lines = Lines::new();
    for part in parts(&files)? {
        let text = open(&part.path, Rc::default())?;
        let mut records = Records::new(text, part.path.display().to_string()).growing();
        while let Some(record) = records.next(|table| wanted.contains(&table))? {
            let place = wanted.iter().position(|table| *table == record.head.table);
            let values = records.values(&record);
            if let Some(name) = place.and_then(|place| names.get(place))
                && keys.as_ref().is_none_or(|keys| is_of(keys, values))
            {
                let op = if record.head.kind == Kind::Delete { "delete" } else { "put" };
                lines.line(&json!({"table": name, "op": op, "values": all(values)}));
            }
        }
    }
    lines.finish()
}

fn known(name: &str) -> Result<Table, Trouble> {
    let found = TABLES.iter().find(|(known, _)| *known == name.as_bytes());
    let problem = || Trouble::Usage(format!("{name} is no table that is read"));
    found.map(|(_, table)| *table).ok_or_else(problem)
}

fn keys() -> Result<HashSet<Vec<u8>>, Trouble> {
    let lines = stdin().lock().split(b'\n').collect::<Result<_, _>>();
    lines.map_err(|error| Trouble::File(format!("the standard input: {error}")))
}

fn is_of(keys: &HashSet<Vec<u8>>, values: &[u8]) -> bool {
    Fields::new(values).any().is_some_and(|key| keys.contains(&*key))
}

fn all(values: &[u8]) -> Vec<Value> {
    let mut fields = Fields::new(values);
    std::iter::from_fn(|| fields.any().map(|value| text(&value))).collect()
}
