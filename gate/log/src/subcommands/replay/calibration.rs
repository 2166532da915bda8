//! Comparison, in a replay, of the numbers of rows estimated from a checkpoint index with those
//! that the log states for the same commands.
//!
//! A command's track lines state how many rows it got and scanned in each table ("Interpreting
//! server log files", Perforce Knowledge Base 2525). An estimate of files is compared with the rows
//! of `db.revhx` and `db.revdx`, an estimate of revisions with the rows of `db.rev`.

use super::names::update_entry;
use super::policy_run::event_of;
use crate::record::command::Command;
use p4warden_gate::base::clock::{times_of, zone};
use p4warden_gate::base::text::{decoded, short_name};
use p4warden_gate::event::command_event::Event;
use p4warden_gate::event::lazy_index::LazyIndex;
use p4warden_gate::event::split_line::SplitLine;
use p4warden_gate::paths::command_synonyms::{CommandName, contains_addition, resolve_name};
use p4warden_gate::policy::compiled::Depots;
use p4warden_gate::rules::limit_scanned_rows::{access_of, estimate};
use p4warden_index::estimate::count::Table;
use p4warden_index::file::index::Index;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Maximum number of pairs (estimated rows, logged rows) that the comparison keeps per command
/// name.
const MAX_PAIRS: usize = 200_000;
/// Maximum number of client programs for which compared requests are counted by program; those of
/// further programs are not.
const MAX_PROGRAMS: usize = 10_000;
/// Maximum number of client programs that the comparison of estimates with logged rows lists.
const MAX_LISTED: usize = 200;
/// Maximum length of each of the three lists of commands that the report has for each command name:
/// those with the largest difference between estimated and logged rows, with the most estimated
/// rows, and with the most logged rows.
const MAX_HIGHEST: usize = 10;
/// Number of rows below which a command is cheap. If both the estimated and the logged rows of a
/// command are below it, their ratio is left out of the report's quantiles.
const SMALL_ROWS: u64 = 1_000;

/// Comparison of estimated with logged rows by command name, and numbers of possible and impossible
/// estimates by client program.
pub struct Calibration {
    index: Rc<Index>,
    commands_compared: BTreeSet<Vec<u8>>,
    commands: BTreeMap<Vec<u8>, CommandMeasurements>,
    programs: HashMap<Vec<u8>, RequestCounts>,
}

/// Number of commands of which the rows were to be estimated, and number of those for which no
/// estimate is possible.
#[derive(Clone, Copy, Debug, Default)]
struct RequestCounts {
    count: u64,
    unknown_count: u64,
}

impl RequestCounts {
    fn note(&mut self, is_unknown: bool) {
        self.count += 1;
        self.unknown_count += u64::from(is_unknown);
    }
}

#[derive(Debug, Default)]
struct CommandMeasurements {
    requests: RequestCounts,
    /// Pairs of estimated and logged rows of at most `MAX_PAIRS` commands of which both are known.
    pairs: Vec<(u64, u64)>,
    omitted_count: u64,
    /// Sum of the estimated rows of the commands compared under one name, as far as known.
    estimated_rows: u64,
    /// Number of commands compared under one name for which the log states rows; `logged_rows` is
    /// the sum of these rows.
    measured_count: u64,
    logged_rows: u64,
    worst_commands: HighestCommands,
    highest_estimates: HighestCommands,
    highest_rows: HighestCommands,
}

/// A logged command in one of the report's lists of commands with the highest numbers of rows or
/// the largest differences; `estimate` and `rows` are its estimated and its logged number of rows,
/// None if unknown.
#[derive(Debug)]
struct HighCommand {
    estimate: Option<u64>,
    rows: Option<u64>,
    line: u64,
    user: String,
    prog: String,
    args: String,
}

/// The commands with the highest values of a measure, such as estimated rows, highest first.
#[derive(Debug, Default)]
struct HighestCommands(Vec<(u64, HighCommand)>);

impl HighestCommands {
    /// Inserts a command, with its value `number`, into the list of the highest values; a full list
    /// loses its last entry. Ignores the value 0, and any value not above the lowest of a full
    /// list.
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

impl Calibration {
    /// Creates an empty comparison of estimated with logged rows, for the commands whose names are
    /// given, separated by commas.
    pub fn new(index: Rc<Index>, commands: &str) -> Self {
        let names = commands.split(',').map(|name| name.as_bytes().to_vec()).collect();
        Calibration {
            index,
            commands_compared: names,
            commands: BTreeMap::new(),
            programs: HashMap::new(),
        }
    }

    /// Adds a logged command to the comparison of estimated with logged rows if a user sent it and
    /// a name to be compared covers it.
    pub fn end_command(
        &mut self,
        command: &Command,
        depots: Option<Depots<'_>>,
        case_sensitive: bool,
    ) {
        let name = command.request.command().and_then(|name| name.strip_prefix(b"user-"));
        let Some(name) = name else { return };
        let name_compared = self.name_compared(name, command.request.args()).map(<[u8]>::to_vec);
        let Some(name_compared) = name_compared else { return };
        let Some(estimate) = estimated_rows(
            command,
            &LazyIndex::of(Some(Rc::clone(&self.index))),
            depots,
            case_sensitive,
        ) else {
            return;
        };
        let program = command.request.prog().unwrap_or_default();
        if self.programs.len() < MAX_PROGRAMS || self.programs.contains_key(program) {
            update_entry(&mut self.programs, program, |counts: &mut RequestCounts| {
                counts.note(estimate.is_none())
            });
        }
        let counts = self.commands.entry(name_compared).or_default();
        counts.requests.note(estimate.is_none());
        let rows = access_of(name).and_then(|access| rows(command, access.table));
        counts.note((estimate, rows), command);
    }

    /// The name under which a command is compared: its name as sent, if that is to be compared;
    /// otherwise a name that covers it, as `sync` covers `flush`, and `flush` covers `sync -k`.
    /// None if no name to be compared covers it.
    fn name_compared(&self, name: &[u8], args: &[u8]) -> Option<&[u8]> {
        let command_name = resolve_name(name);
        let covers = |listed: &&Vec<u8>| {
            let CommandName { main_name, addition } = resolve_name(listed);
            let has_addition = addition.is_empty() || addition == command_name.addition;
            main_name == command_name.main_name
                && (has_addition || contains_addition(args, addition))
        };
        let listed_name = self.commands_compared.get(name);
        listed_name.or_else(|| self.commands_compared.iter().find(covers)).map(Vec::as_slice)
    }

    /// Returns as JSON the comparison of estimated with logged rows by command name, and the
    /// numbers of requests and of impossible estimates by program.
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
        json!({
            "commands": self.commands.iter().map(document_of).collect::<BTreeMap<_, _>>(),
            "programs": rows.collect::<Vec<_>>(),
        })
    }
}

/// Returns the estimated rows of a command, `Some(None)` if the estimate is unknown; None if no
/// user sent the command.
fn estimated_rows(
    command: &Command,
    index: &LazyIndex<'_>,
    depots: Option<Depots<'_>>,
    case_sensitive: bool,
) -> Option<Option<u64>> {
    let day = String::new;
    let event = event_of(&command.request, None, depots, case_sensitive, &day)?;
    let times_of = |date: &[u8]| times_of(date, zone().as_ref());
    let event = Event { index: Some(index), times_of: &times_of, ..event };
    let split = SplitLine::of(&event);
    let event = match &split {
        Some(split) => split.event(event),
        None => event,
    };
    Some(estimate(&event))
}

/// Sum of the rows that a logged command got and scanned in the tables to which an estimate refers,
/// as far as the log states them; None if it states none of them.
fn rows(command: &Command, table: Table) -> Option<u64> {
    let names: &[&[u8]] = match table {
        Table::Files => &[b"db.revhx", b"db.revdx"],
        Table::Revisions => &[b"db.rev"],
    };
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

/// Returns the 5, 25, 50, 75 and 95% quantiles of sorted numbers as a JSON object with the
/// percentages as keys; None if there are no numbers.
fn quantiles(sorted: &[f64]) -> Option<Value> {
    let at = |percent: usize| sorted.get((sorted.len().checked_sub(1)? * percent + 50) / 100);
    let all = [5, 25, 50, 75, 95].map(|percent| Some((percent.to_string(), json!(at(percent)?))));
    let all: Option<serde_json::Map<_, _>> = all.into_iter().collect();
    all.map(Value::Object)
}
