//! `p4warden-log load`: writes the content of logs into the empty tables of an SQLite database.

mod kinds;
mod rows;

use crate::parse::text::Detail;
use crate::record::command::Command;
use crate::record::counts::Counts;
use crate::record::sink::{Event, EventKind, File, Sink};
use crate::subcommands::all_logs::read_servers;
use crate::write::sqlite::{Pages, Record, Table};
use kinds::Kinds;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;
use rows::{Names, number};
use std::ffi::OsString;
use std::io::Result as Written;
use std::path::Path;

/// In the order in which the option `--roots` lists the root pages.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Name,
    Command,
    Argument,
    TableUse,
    Archive,
    TriggerRun,
    Error,
    Event,
    Log,
    Server,
    LogFile,
    Told,
    NotUnderstood,
    Proxy,
}

const TABLES: usize = 14;

/// False if a file is not a log or could not be read to its end.
pub fn run(words: &[OsString]) -> Result<bool, Fault> {
    let options = Options::read(words, &["progress"], &["database", "roots", "server", "zone"])?;
    let path = options.needed("database")?;
    let problem = |error: std::io::Error| Fault::of_file(Path::new(path), &error);
    let mut database =
        Database::new(Pages::open(path).map_err(problem)?, options.needed("roots")?)?;
    let totals = read_servers(&options, Detail::Full, &mut database)?;
    database.log(&totals.counts, totals.bytes);
    database.kinds_of_server();
    database.finish().map_err(problem)?;
    Ok(totals.problems.is_empty())
}

struct Database {
    pages: Pages,
    tables: Vec<Table>,
    names: Names,
    commands: i64,
    /// Counted from 1; 0 before the first.
    server: i64,
    kinds: Kinds,
    files: Vec<(i64, Record)>,
    row: Record,
    result: Written<()>,
}

impl Database {
    fn new(pages: Pages, roots: &str) -> Result<Self, Fault> {
        let roots: Result<Vec<u32>, _> = roots.split(',').map(str::parse).collect();
        let roots = roots.ok().filter(|roots| roots.len() == TABLES);
        let roots = roots.ok_or(Fault::Usage(format!(
            "--roots must be the numbers of {TABLES} pages: 2,3,..."
        )))?;
        Ok(Database {
            pages,
            tables: roots.into_iter().map(Table::new).collect(),
            names: Names::default(),
            commands: 0,
            server: 0,
            kinds: Kinds::default(),
            files: Vec::new(),
            row: Record::default(),
            result: Ok(()),
        })
    }

    /// With None under the next row number. Does nothing after a failed write.
    fn add(&mut self, kind: Kind, row: Option<i64>) {
        let Some(table) = self.tables.get_mut(kind as usize).filter(|_| self.result.is_ok()) else {
            return;
        };
        let row = row.and_then(|row| u64::try_from(row).ok());
        self.result = match row {
            Some(row) => table.add_at(row, &self.row, &mut self.pages),
            None => table.add(&self.row, &mut self.pages),
        };
    }

    /// The number of a name in the table of names, to which a new name is added.
    fn name(&mut self, name: Option<&[u8]>) -> Option<i64> {
        let (number, is_new) = self.names.number(name?);
        if is_new {
            self.row.clear().null().text(name?);
            self.add(Kind::Name, Some(number));
        }
        Some(number)
    }

    fn error(&mut self, command: Option<i64>, time_ns: Option<u64>, operation: &[u8], text: &[u8]) {
        let operation = self.name(Some(operation).filter(|name| !name.is_empty()));
        let server = Some(self.server);
        self.row
            .clear()
            .integer(command)
            .seconds(time_ns)
            .integer(operation)
            .text(text)
            .integer(server);
        self.add(Kind::Error, None);
    }

    fn log(&mut self, counts: &Counts, bytes: u64) {
        let Counts { lines, commands, without_start, without_end, events, .. } = *counts;
        let Counts {
            unused_lines,
            without_command,
            unknown_lines,
            long_lines,
            evicted_commands,
            ..
        } = *counts;
        let counts_of_commands = [bytes, lines, commands, without_start, without_end, events];
        self.row.clear();
        for count in counts_of_commands
            .into_iter()
            .chain([unused_lines, without_command, unknown_lines, long_lines, evicted_commands])
        {
            self.row.integer(number(count));
        }
        self.add(Kind::Log, None);
        for example in &counts.examples {
            self.row.clear().integer(Some(i64::from(example.file) + 1));
            self.row.integer(number(example.line)).text(&example.text);
            self.add(Kind::NotUnderstood, None);
        }
    }

    /// One row for each kind of fact; resets the numbers.
    fn kinds_of_server(&mut self) {
        let kinds = std::mem::take(&mut self.kinds);
        let server = Some(self.server).filter(|server| *server > 0);
        for (kind, count) in kinds.counts().filter(|_| server.is_some()) {
            self.row.clear().integer(server).text(kind.as_bytes()).integer(number(count));
            self.add(Kind::Told, None);
        }
    }

    fn finish(mut self) -> Written<()> {
        self.files.sort_by_key(|(number, _)| *number);
        for (number, row) in std::mem::take(&mut self.files) {
            self.row = row;
            self.add(Kind::LogFile, Some(number));
        }
        self.result?;
        for table in self.tables {
            table.finish(&mut self.pages)?;
        }
        self.pages.finish()
    }
}

impl Sink for Database {
    fn server(&mut self, name: Option<&str>) {
        self.kinds_of_server();
        self.server += 1;
        self.row.clear().null();
        match name {
            Some(name) => self.row.text(name.as_bytes()),
            None => self.row.null(),
        };
        self.add(Kind::Server, Some(self.server));
    }

    fn file(&mut self, file: &File<'_>) {
        rows::file(&mut self.row, Some(self.server).filter(|_| file.form.is_some()), file);
        // Several structured logs that are read together end in any order, so `finish` sorts the
        // rows of log files before it writes them.
        self.files.push((i64::from(file.number) + 1, std::mem::take(&mut self.row)));
    }

    fn end_command(&mut self, command: &Command) {
        self.commands += 1;
        let (id, request) = (self.commands, &command.request);
        let names = [request.user(), request.client(), request.ip(), request.via(), request.prog()];
        let [user, client, ip, via, prog] = names.map(|name| self.name(name));
        let [version, name] = [request.version(), request.command()].map(|name| self.name(name));
        rows::command(
            &mut self.row,
            command,
            [user, client, ip, via, prog, version, name],
            self.server,
        );
        self.kinds.command(command);
        self.add(Kind::Command, Some(id));
        if !request.args().is_empty() {
            self.row.clear().null().text(request.args());
            self.add(Kind::Argument, Some(id));
        }
        for (name, table_use) in command.tables.iter() {
            let name = self.name(Some(name));
            rows::table(&mut self.row, id, name, table_use);
            self.add(Kind::TableUse, None);
        }
        for table_use in &command.archives {
            let kind = self.name(Some(&table_use.kind));
            rows::archive(&mut self.row, id, kind, table_use);
            self.add(Kind::Archive, None);
        }
        if let Some(proxy) = &command.proxy {
            rows::proxy(&mut self.row, proxy);
            self.add(Kind::Proxy, Some(id));
        }
        for run in &command.triggers {
            let name = self.name(Some(&run.name));
            self.row.clear().integer(Some(id)).integer(name).seconds(run.lapse_ns);
            self.add(Kind::TriggerRun, None);
        }
        for text in &command.errors {
            self.error(Some(id), command.start_ns, request.command().unwrap_or_default(), text);
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        self.kinds.event(event);
        if let EventKind::Error { operation, text } = event.kind {
            return self.error(None, event.time_ns, operation, text);
        }
        if rows::event(&mut self.row, event, self.server) {
            self.add(Kind::Event, None);
        }
    }
}
