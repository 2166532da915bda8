//! Estimated rows against the rows that a command got and scanned, which its track lines state by
//! table ("Interpreting server log files", Perforce Knowledge Base 2525): an estimate of files
//! against those of `db.revhx` and `db.revdx`, an estimate of revisions against those of `db.rev`,
//! for a range of changelists also of `db.revcx`, for changelists without files of `db.change`.

use super::listed_commands::ListedCommands;
use super::names::update_entry;
use super::policy_run::{Origin, event_of};
use crate::record::command::Command;
use p4warden_gate::base::clock::{times_of, zone};
use p4warden_gate::base::text::{decoded, short_name};
use p4warden_gate::contract::rule_result::Rows;
use p4warden_gate::event::command_event::Event;
use p4warden_gate::event::lazy_index::LazyIndex;
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::facts::depots::Depots;
use p4warden_gate::paths::command_form::command_form;
use p4warden_gate::paths::command_synonyms::resolve_name;
use p4warden_gate::rules::limit_scanned_rows::{self, access_of};
use p4warden_index::estimate::count::Table;
use p4warden_index::file::index::Index;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Of estimated and logged rows, per command name.
const MAX_PAIRS: usize = 200_000;
/// Requests of further programs are not counted by program.
const MAX_PROGRAMS: usize = 10_000;
/// Forms of commands that are compared separately.
const MAX_FORMS: usize = 10_000;
const MAX_LISTED: usize = 200;
/// Length of each list: largest differences, largest estimates, most logged rows.
const MAX_HIGHEST: usize = 10;
/// If both numbers of rows are below it, their ratio is left out of the quantiles.
const SMALL_ROWS: u64 = 1_000;

pub struct ComparedEstimates {
    index: Rc<Index>,
    commands_compared: ListedCommands,
    commands: BTreeMap<Vec<u8>, CommandMeasurements>,
    forms: HashMap<Vec<u8>, FormMeasurements>,
    programs: HashMap<Vec<u8>, RequestCounts>,
}

/// Commands whose rows were to be estimated, and those for which no estimate is possible.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestCounts {
    pub count: u64,
    pub unknown_count: u64,
}

/// Estimates and logged rows of the commands of one form, such as `sync PATH@N,M`.
#[derive(Clone, Copy, Debug, Default)]
struct FormMeasurements {
    requests: RequestCounts,
    compared_count: u64,
    /// Sums over the commands of which both are known.
    estimated_rows: u64,
    logged_rows: u64,
}

impl FormMeasurements {
    fn note(&mut self, (estimate, rows): Counts) {
        self.requests.note(estimate.is_none());
        if let Some((estimate, rows)) = estimate.zip(rows) {
            self.compared_count += 1;
            self.estimated_rows = self.estimated_rows.saturating_add(estimate);
            self.logged_rows = self.logged_rows.saturating_add(rows);
        }
    }

    fn document(&self, form: &[u8]) -> Value {
        json!({
            "form": decoded(form),
            "requests": self.requests.count,
            "unknown": self.requests.unknown_count,
            "compared": self.compared_count,
            "estimated_rows": self.estimated_rows,
            "logged_rows": self.logged_rows,
        })
    }
}

impl RequestCounts {
    pub fn note(&mut self, is_unknown: bool) {
        self.count += 1;
        self.unknown_count += u64::from(is_unknown);
    }
}

#[derive(Debug, Default)]
struct CommandMeasurements {
    requests: RequestCounts,
    /// Estimated and logged rows, of commands of which both are known.
    pairs: Vec<(u64, u64)>,
    omitted_count: u64,
    estimated_rows: u64,
    /// Commands for which the log states rows, summed in `logged_rows`.
    measured_count: u64,
    logged_rows: u64,
    worst_commands: HighestCommands,
    highest_estimates: HighestCommands,
    highest_rows: HighestCommands,
}

#[derive(Debug)]
struct HighCommand {
    estimate: Option<u64>,
    rows: Option<u64>,
    line: u64,
    user: String,
    prog: String,
    args: String,
}

/// Highest first, by a measure such as estimated rows.
#[derive(Debug, Default)]
struct HighestCommands(Vec<(u64, HighCommand)>);

impl HighestCommands {
    /// Ignores the value 0; a full list loses its lowest entry.
    fn take(&mut self, number: u64, (estimate, rows): Counts, command: &Command) {
        let is_full = self.0.len() >= MAX_HIGHEST;
        if number == 0 || (is_full && self.0.last().is_some_and(|(least, _)| number <= *least)) {
            return;
        }
        let text = |part: Option<&[u8]>| short_name(part.unwrap_or_default()).into_owned();
        let request = &command.request;
        let miss = HighCommand {
            estimate,
            rows,
            line: command.line,
            user: text(request.user()),
            prog: text(request.prog()),
            args: short_name(request.args()).into_owned(),
        };
        self.0.push((number, miss));
        self.0.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        self.0.truncate(MAX_HIGHEST);
    }

    fn document(&self) -> Vec<Value> {
        let json_of = |(_, miss): &(u64, HighCommand)| {
            json!({
                "estimate": miss.estimate, "rows": miss.rows, "line": miss.line,
                "user": miss.user, "program": miss.prog, "args": miss.args,
            })
        };
        self.0.iter().map(json_of).collect()
    }
}

/// Estimated number of rows of a command, and the number that the log states; None if unknown.
type Counts = (Option<u64>, Option<u64>);

impl ComparedEstimates {
    /// `commands` are names separated by commas.
    pub fn new(index: Rc<Index>, commands: &str) -> Self {
        ComparedEstimates {
            index,
            commands_compared: ListedCommands::of(commands),
            commands: BTreeMap::new(),
            forms: HashMap::new(),
            programs: HashMap::new(),
        }
    }

    pub fn end_command(
        &mut self,
        command: &Command,
        depots: Option<Depots<'_>>,
        case_sensitive: bool,
    ) {
        let name = command.request.command().and_then(|name| name.strip_prefix(b"user-"));
        let Some(name) = name else { return };
        let name_compared = self.commands_compared.name_of(name, command.request.args());
        let Some(name_compared) = name_compared.map(<[u8]>::to_vec) else { return };
        let index = LazyIndex::of(Some(Rc::clone(&self.index)));
        let read = records_read(command, &index, depots, case_sensitive, &String::new);
        let Some(read) = read else { return };
        let estimate = Some(read.known).filter(|_| read.is_whole);
        let program = command.request.prog().unwrap_or_default();
        if self.programs.len() < MAX_PROGRAMS || self.programs.contains_key(program) {
            update_entry(&mut self.programs, program, |counts: &mut RequestCounts| {
                counts.note(estimate.is_none())
            });
        }
        let counts = self.commands.entry(name_compared).or_default();
        counts.requests.note(estimate.is_none());
        let form = command_form(resolve_name(name).main_name, command.request.args());
        let rows = access_of(name).and_then(|access| rows(command, access.table, &form));
        counts.note((estimate, rows), command);
        if self.forms.len() < MAX_FORMS || self.forms.contains_key(form.as_bytes()) {
            let note = |one: &mut FormMeasurements| one.note((estimate, rows));
            update_entry(&mut self.forms, form.as_bytes(), note);
        }
    }

    pub fn document(&self) -> Value {
        let document_of = |(name, one): (&Vec<u8>, &CommandMeasurements)| {
            (decoded(name).into_owned(), one.document())
        };
        let mut programs: Vec<_> = self.programs.iter().collect();
        programs.sort_by(|(one, a), (other, b)| b.count.cmp(&a.count).then(one.cmp(other)));
        let rows = programs.into_iter().take(MAX_LISTED);
        let rows = rows.map(|(name, counts)| {
            json!({"program": decoded(name), "requests": counts.count, "unknown": counts.unknown_count})
        });
        let mut forms: Vec<_> = self.forms.iter().collect();
        forms.sort_by(|(one, a), (other, b)| {
            b.requests.count.cmp(&a.requests.count).then(one.cmp(other))
        });
        let forms = forms.into_iter().take(MAX_LISTED).map(|(form, one)| one.document(form));
        json!({
            "forms": forms.collect::<Vec<_>>(),
            "commands": self.commands.iter().map(document_of).collect::<BTreeMap<_, _>>(),
            "programs": rows.collect::<Vec<_>>(),
        })
    }
}

/// None if no user sent the command.
pub fn records_read(
    command: &Command,
    index: &LazyIndex<'_>,
    depots: Option<Depots<'_>>,
    case_sensitive: bool,
    day: &dyn Fn() -> String,
) -> Option<Rows> {
    let event = event_of(&command.request, Origin::default(), depots, case_sensitive, day)?;
    let times_of = |date: &[u8]| times_of(date, zone().as_ref());
    let event = Event { index: Some(index), times_of: &times_of, ..event };
    let split = SplitLine::of(&event);
    let event = split.event(event);
    Some(limit_scanned_rows::rows(&event))
}

/// Rows got and scanned in the tables to which an estimate refers; None if the log states none.
fn rows(command: &Command, table: Table, form: &str) -> Option<u64> {
    let mut names: Vec<&[u8]> = match table {
        Table::Files => vec![b"db.revhx", b"db.revdx"],
        Table::Revisions => vec![b"db.rev"],
    };
    let words: Vec<&str> = form.split(' ').collect();
    let has = |words_of_range: &[&str]| words.iter().any(|word| words_of_range.contains(word));
    if words.first() == Some(&"changes") && !words.iter().any(|word| word.starts_with("PATH")) {
        names = vec![b"db.change"];
    } else if has(&["-e", "-c", "PATH@=N", "PATH@N,M", "PATH@DATE,DATE", "@=N", "@N,M"]) {
        names.push(b"db.revcx");
    }
    let uses = command.tables.iter().filter(|(name, _)| names.contains(name));
    let rows = uses.filter_map(|(_, table)| {
        let [_, _, rows_got, _, scanned, ..] = table.uses?;
        u64::try_from(rows_got.saturating_add(scanned)).ok()
    });
    rows.reduce(u64::saturating_add)
}

impl CommandMeasurements {
    fn note(&mut self, counts: Counts, command: &Command) {
        let (estimate, rows) = counts;
        self.estimated_rows = self.estimated_rows.saturating_add(estimate.unwrap_or(0));
        self.logged_rows = self.logged_rows.saturating_add(rows.unwrap_or(0));
        self.measured_count += u64::from(rows.is_some());
        self.highest_estimates.take(estimate.unwrap_or(0), counts, command);
        self.highest_rows.take(rows.unwrap_or(0), counts, command);
        if let Some((estimate, rows)) = estimate.zip(rows) {
            self.worst_commands.take(estimate.abs_diff(rows), counts, command);
            if self.pairs.len() < MAX_PAIRS {
                self.pairs.push((estimate, rows));
            } else {
                self.omitted_count += 1;
            }
        }
    }

    fn document(&self) -> Value {
        let is_large = |(estimate, rows): &&(u64, u64)| *estimate.max(rows) >= SMALL_ROWS;
        let large = self.pairs.iter().filter(is_large);
        let mut ratios: Vec<f64> =
            large.map(|(estimate, rows)| *estimate as f64 / (*rows).max(1) as f64).collect();
        ratios.sort_by(f64::total_cmp);
        json!({
            "requests": self.requests.count,
            "unknown": self.requests.unknown_count,
            "compared": self.pairs.len() as u64 + self.omitted_count,
            "small": self.pairs.len() - ratios.len(),
            "ratios": quantiles(&ratios),
            "estimated_rows": self.estimated_rows,
            "with_rows": self.measured_count,
            "logged_rows": self.logged_rows,
            "worst": self.worst_commands.document(),
            "by_estimate": self.highest_estimates.document(),
            "by_rows": self.highest_rows.document(),
        })
    }
}

/// The keys are percentages; None if there are no numbers.
fn quantiles(sorted: &[f64]) -> Option<Value> {
    let at = |percent: usize| sorted.get((sorted.len().checked_sub(1)? * percent + 50) / 100);
    let all = [5, 25, 50, 75, 95].map(|percent| Some((percent.to_string(), json!(at(percent)?))));
    let all: Option<serde_json::Map<_, _>> = all.into_iter().collect();
    all.map(Value::Object)
}
