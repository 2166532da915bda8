//! Rule `limit_scanned_rows`: objects to a command that would read more records than the policy
//! allows, as estimated from the checkpoint index.
//!
//! The result is three-valued: a command is refused if it certainly reads more records than the
//! limit, and allowed if it certainly does not. It is unknown, and never refused, if the limit is
//! within the precision of the index, or if the index lacks data about an argument. Options and
//! revisions count as the table of bounds says (`paths/command_bounds.tsv`).

pub mod argument;
mod changes;
pub mod mapped_file;
mod narrower_command;
mod request;
mod settings;
mod smaller_part;

use crate::base::patterns::is_same;
use crate::base::plural::{about, at_most};
use crate::contract::command_rule::CommandRule;
use crate::contract::draft::{Draft, Server};
use crate::contract::equal_arguments::EqualArguments;
use crate::contract::finding::{Amount, Finding};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_commands};
use crate::contract::readings::{OfReading, OfReadings};
use crate::contract::remarks::{Document, Remarks, texts};
use crate::contract::rule_result::{ARGS_LEFT_OUT, Rows, RuleResult};
use crate::contract::too_many_arguments::{self, judged_args};
use crate::event::command_event::Event;
use crate::paths::argument_reads::{ArgumentReads, of_argument, without_path};
use crate::paths::argument_words::Words;
use crate::paths::command_bounds::{CommandBounds, Reads, SeenOptions};
use crate::paths::command_line::{CommandLine, Reading};
use crate::paths::command_synonyms::resolve_name;
use crate::paths::depot_path::{first_name, path_and_revision};
use crate::paths::joined_words::{JoinedWords, joined_behind_wildcards};
use crate::paths::revision::{EVERYTHING, until_today};
use crate::rules::limit_scanned_rows::argument::{
    Access, MAX_STEPS, NO_INDEX, Scan, first_roots, is_left_out,
};
use crate::rules::limit_scanned_rows::changes::{changelists, rows_within};
use crate::rules::limit_scanned_rows::request::Request;
use p4warden_index::estimate::count::{Estimate, Table};
use serde_json::Value;
use settings::ScanLimits;
use std::borrow::Cow;
use std::collections::HashMap;

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_scanned_rows",
    summary: "a command would look through more records than the policy allows",
    events: &["command"],
    read: Reader::OfCommands(of_commands::<ScanLimits>),
    remarks,
};

impl CommandRule for ScanLimits {
    /// By the estimated number of records that all arguments together make the server read.
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e> {
        let args = match judged_args(event) {
            Ok(args) => args,
            Err(result) if result.unknown.is_some() => return uncounted(ARGS_LEFT_OUT),
            Err(result) => {
                return RuleResult { estimate: Some(0), rows: uncounted(NO_INDEX).rows, ..*result };
            }
        };
        let Some(index) = event.checkpoint_index() else { return uncounted(NO_INDEX) };
        let command = event.name.main_name;
        let bounds = CommandBounds::of(command);
        let line = CommandLine::read(&bounds, args);
        let mut rows = Rows { is_whole: true, ..Rows::default() };
        let mut readings = OfReadings::default();
        let first_roots = first_roots(event, &line);
        let each = |reading| (0..first_roots).map(move |root| (reading, root));
        for (reading, root) in line.readings.iter().flat_map(each) {
            let scan = |access| Scan::new(index, event, access).from_root(root);
            let Some(one) = self.find_in(reading, &scan, &bounds, &mut rows) else {
                rows.is_whole = false;
                let finding = too_many_arguments::finding(event, MAX_STEPS, "steps");
                let (estimate, rows) = (Some(rows.known), Some(rows));
                return RuleResult { estimate, rows, ..finding.into() };
            };
            let joined = self.joined(reading, &scan, &bounds);
            readings.add_apart_or_joined(one, joined);
        }
        let result = readings.result(|Exceeded { finding, request }: Exceeded<'_>| {
            let result = RuleResult { estimate: finding.value.number(), ..finding.into() };
            result.with(move |allows| request.fix(allows))
        });
        match result.objection {
            Some(_) => result,
            None => {
                let estimate = rows.is_whole.then_some(rows.known);
                RuleResult { estimate, rows: Some(rows), ..result }
            }
        }
    }

    fn needs_the_depots(&self) -> bool {
        true
    }

    fn needed_options(&self, _: &[&[u8]]) -> Vec<&'static str> {
        vec!["args", "cwd"]
    }

    /// Each command on all depots, and on one.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let paths = ["//...".to_owned(), format!("//{}/...", server.first_depot())];
        Draft::of_each(commands, &paths.map(|path| vec![path]))
    }

    fn without_witness(&self, _: &[&str]) -> String {
        "no command on all depots exceeds its limits by the index in the home folder, or there is \
         no index (create one with p4warden index --checkpoint FILE, or lower the limits)"
            .to_owned()
    }
}

/// Estimates from the checkpoint index the number of records that a command reads.
pub fn rows(event: &Event<'_>) -> Rows {
    let unlimited = ScanLimits { max_files: u64::MAX, max_revisions: u64::MAX };
    unlimited.find(event).rows.unwrap_or_default()
}

impl ScanLimits {
    /// The first word that exceeds a limit if it goes on in the next one.
    fn joined<'e>(
        &self,
        reading: &Reading<'e>,
        scan: &dyn Fn(Access) -> Scan<'e>,
        bounds: &CommandBounds,
    ) -> Option<Exceeded<'e>> {
        let mut texts = joined_behind_wildcards(reading.words).peekable();
        texts.peek()?;
        let access = accesses(bounds, &reading.seen).next()?;
        let limit = self.limit(access);
        let scan = scan(access);
        let known = EqualArguments::default();
        let asked = Asked { scan: &scan, bounds, seen: &reading.seen, limit, known };
        let exceeds = |text| asked.rows(text).filter(|rows| rows.at_least > limit);
        let (text, rows) = texts.find_map(|(_, text)| Some((text, exceeds(text)?)))?;
        let (word, unit) = (Some(text), asked.unit(Some(text)));
        let finding = finding(&scan, word, 1, rows.at_most, unit, limit);
        let request = Request { scan, words: reading.words, word, limit };
        Some(Exceeded { finding, request })
    }

    fn limit(&self, access: Access) -> u64 {
        match access.table {
            Table::Files => self.max_files,
            Table::Revisions => self.max_revisions,
        }
    }

    /// None if judging the reading takes too long.
    fn find_in<'e>(
        &self,
        reading: &Reading<'e>,
        scan: &dyn Fn(Access) -> Scan<'e>,
        bounds: &CommandBounds,
        rows: &mut Rows,
    ) -> Option<OfReading<Exceeded<'e>>> {
        let is_counted = accesses(bounds, &reading.seen).next().is_some();
        let mut unknown = (!is_counted).then_some("not-counted");
        rows.leave_out(unknown);
        for access in accesses(bounds, &reading.seen) {
            let limit = self.limit(access);
            let scan = scan(access);
            let known = EqualArguments::default();
            let asked = Asked { scan: &scan, bounds, seen: &reading.seen, limit, known };
            let arguments = asked.arguments(reading);
            let sum = sum(&arguments);
            let widest =
                arguments.iter().max_by_key(|argument| argument.rows.map(|one| one.at_most));
            if let Some(Argument { word, .. }) = widest.filter(|_| sum.at_least > limit) {
                let (word, unit) = (*word, asked.unit(*word));
                let finding = finding(&scan, word, arguments.len(), sum.at_most, unit, limit);
                let request = Request { scan, words: reading.words, word, limit };
                return Some(OfReading::Refused(Exceeded { finding, request }));
            }
            if scan.is_too_long() {
                return None;
            }
            rows.known = rows.known.max(sum.at_most);
            let uncounted = arguments.iter().find(|argument| argument.rows.is_none());
            let why = uncounted.map(|argument| scan.why_unknown(argument.word));
            rows.leave_out(why);
            unknown = unknown.or(why).or((sum.at_most > limit).then_some("imprecise"));
        }
        Some(unknown.map_or(OfReading::Allowed, OfReading::Unknown))
    }
}

/// A limit that a reading of a command exceeds.
struct Exceeded<'a> {
    /// Without proposals.
    finding: Finding,
    request: Request<'a>,
}

fn uncounted(why: &'static str) -> RuleResult<'static> {
    let rows = Rows { unknown: Some(why), ..Rows::default() };
    RuleResult { rows: Some(rows), ..RuleResult::unknown(why) }
}

/// The kind of records that a p4 command reads without options, and whether the command is limited
/// to the client's view; None for a command that reads other tables than the index counts.
pub fn access_of(command: &[u8]) -> Option<Access> {
    let bounds = CommandBounds::of(resolve_name(command).main_name);
    accesses(&bounds, &SeenOptions::default()).next()
}

/// None if the command reads other tables than the index counts. All revisions of the files that a
/// command reads are no fewer than these files.
fn accesses(bounds: &CommandBounds, seen: &SeenOptions<'_>) -> impl Iterator<Item = Access> {
    let of_path = bounds.of_path();
    let tables: &[Table] = match (bounds.of_options(seen, true), of_path) {
        _ if !bounds.is_named() => &[],
        (_, Reads::Revisions) => &[Table::Revisions],
        (Some(Reads::Revisions), Reads::Files | Reads::View) => &[Table::Revisions, Table::Files],
        (Some(Reads::Revisions), _) => &[Table::Revisions],
        (_, Reads::Files | Reads::View) => &[Table::Files],
        _ => &[],
    };
    let goes_by_view = of_path == Reads::View;
    tables.iter().map(move |table| Access { table: *table, goes_by_view })
}

/// A file argument of a command, or the command as a whole, with its estimated number of records.
struct Argument<'a> {
    /// The text of the file argument; None if the estimate is for the command as a whole.
    word: Option<&'a [u8]>,
    /// Estimated number of records that the server reads for the file argument or the command; None
    /// if unknown.
    rows: Option<Estimate>,
}

/// The errors of many counts by samples cancel out: by Hoeffding's inequality, the sum of independent
/// errors of at most e1, e2, ... exceeds the square root of 28 times the sum of their squares in one
/// case of a million. Up to 28 equal errors it never does.
const OF_SQUARES: u64 = 28;

/// The estimated number of records of all arguments, as far as they are known. The errors of equal
/// arguments are equal, and cannot cancel out.
fn sum(arguments: &[Argument<'_>]) -> Estimate {
    let mut known: HashMap<Option<&[u8]>, (Estimate, u64)> = HashMap::new();
    for (word, rows) in arguments.iter().filter_map(|one| Some((one.word, one.rows?))) {
        known.entry(word).or_insert((rows, 0)).1 += 1;
    }
    let (mut at_least, mut at_most) = (0_u64, 0_u64);
    let (mut below, mut above) = (Errors::default(), Errors::default());
    for (one, count) in known.into_values() {
        let times = |number: u64| number.saturating_mul(count);
        let (low, high) = one.counted.map_or((one.at_least, one.at_most), |sum| (sum, sum));
        below.add(times(low - one.at_least));
        above.add(times(one.at_most - high));
        at_least = at_least.saturating_add(times(low));
        at_most = at_most.saturating_add(times(high));
    }
    let (below, above) = (below.most(), above.most());
    Estimate::between(at_least.saturating_sub(below), at_most.saturating_add(above))
}

#[derive(Default)]
struct Errors {
    sum: u64,
    sum_of_squares: u64,
}

impl Errors {
    fn add(&mut self, error: u64) {
        self.sum = self.sum.saturating_add(error);
        self.sum_of_squares = self.sum_of_squares.saturating_add(error.saturating_mul(error));
    }

    fn most(&self) -> u64 {
        self.sum.min(self.sum_of_squares.saturating_mul(OF_SQUARES).isqrt())
    }
}

/// A command's arguments in one reading of its options, to be estimated.
struct Asked<'s, 'a> {
    scan: &'s Scan<'s>,
    bounds: &'s CommandBounds,
    seen: &'s SeenOptions<'a>,
    limit: u64,
    known: EqualArguments<'a, Option<Estimate>>,
}

impl<'a> Asked<'_, 'a> {
    fn arguments(&self, reading: &Reading<'a>) -> Vec<Argument<'a>> {
        let argument = |word| Argument { word: Some(word), rows: self.rows(word) };
        let mut arguments = arguments_of(reading.words, argument);
        if arguments.is_empty() {
            arguments.push(Argument { word: None, rows: self.rows_without_path(b"") });
        }
        arguments
    }

    fn rows(&self, word: &'a [u8]) -> Option<Estimate> {
        self.known.answer(word, || self.estimated_rows(word))
    }

    fn estimated_rows(&self, word: &'a [u8]) -> Option<Estimate> {
        let (path, revision) = path_and_revision(word);
        let revision = until_today(revision, self.scan.event.day);
        if is_left_out(word) {
            return None;
        }
        if path.is_empty() {
            return self.rows_without_path(revision);
        }
        let reads = of_argument(self.bounds, self.seen, path, revision);
        rows_within(self.scan, reads, || self.rows_of_path(path))
    }

    /// What a path covers in other cases besides is unknown.
    fn rows_of_path(&self, path: &[u8]) -> Option<Estimate> {
        if !self.bounds.ignores_case(self.seen) || self.scan.index.folds() {
            return self.scan.rows(path);
        }
        let rows = self.scan.rows(&in_case_of_depot(self.scan.event, path))?;
        Some(rows).filter(|rows| rows.at_least > self.limit)
    }

    fn unit(&self, word: Option<&'a [u8]>) -> &'static str {
        let (path, revision) = path_and_revision(word.unwrap_or_default());
        match without_path(self.bounds, self.seen, until_today(revision, self.scan.event.day)) {
            ArgumentReads::Latest(_) | ArgumentReads::ChangelistRecords(_) if path.is_empty() => {
                "changelists"
            }
            _ => unit(self.scan),
        }
    }

    fn rows_without_path(&self, revision: &'a [u8]) -> Option<Estimate> {
        let reads = without_path(self.bounds, self.seen, revision);
        let rows = || match self.scan.access.goes_by_view {
            true => self.scan.rows_of_view(None),
            false => self.scan.rows(b"//..."),
        };
        if let ArgumentReads::Latest(most) = reads {
            changelists(self.scan, EVERYTHING, most).or(Some(Estimate::exact(most)))
        } else {
            rows_within(self.scan, reads, rows)
        }
    }
}

/// A path with its depot's name as the server writes it.
fn in_case_of_depot<'p>(event: &Event<'_>, path: &'p [u8]) -> Cow<'p, [u8]> {
    let name = first_name(path);
    let below = path.get(2 + name.len()..).unwrap_or_default();
    let depot = event.depots.and_then(|mut all| all.find(|depot| is_same(depot, name, false)));
    depot.map_or(Cow::Borrowed(path), |depot| Cow::Owned([b"//", depot, below].concat()))
}

/// Estimates the records of each file argument among the words. A path with a blank can be read as
/// one argument or as several; the reading as one counts if it certainly has records, and may have no
/// fewer than the other reading.
fn arguments_of<'a>(
    words: Words<'a>,
    argument: impl Fn(&'a [u8]) -> Argument<'a>,
) -> Vec<Argument<'a>> {
    let (mut arguments, mut joining) = (Vec::new(), JoinedWords::new(words));
    let mut sums = Sums::new(words, |text| argument(text).rows);
    let mut end_of_joined = 0;
    for word in words {
        if word.number <= end_of_joined {
            continue;
        }
        let rows = sums.rows_to(word.number);
        let joined = joining.from(&word).and_then(|path| {
            let joined = argument(path.text);
            let separate = sums.rows_between(word.number, path.last.number);
            let is_one = |rows: Estimate| rows.at_least > 0 && Some(rows.at_most) >= separate;
            joined.rows.is_some_and(is_one).then_some((joined, path.last.number))
        });
        arguments.push(match joined {
            None => Argument { word: Some(word.text), rows },
            Some((joined, end)) => {
                end_of_joined = end;
                joined
            }
        });
    }
    arguments
}

/// The sums of the upper ends of the words' estimates up to each, so that no word is estimated twice.
struct Sums<'a, F> {
    words: Words<'a>,
    rows_of: F,
    /// For each word of the command's arguments from the first one of `words` on: its own estimate,
    /// the sum up to it, and how many up to it are unknown.
    sums: Vec<(Option<Estimate>, u64, usize)>,
    before: usize,
}

impl<'a, F: Fn(&'a [u8]) -> Option<Estimate>> Sums<'a, F> {
    fn new(words: Words<'a>, rows_of: F) -> Self {
        Sums { words, rows_of, sums: Vec::new(), before: words.count_before() }
    }

    /// The estimate of one word.
    fn rows_to(&mut self, number: usize) -> Option<Estimate> {
        while self.sums.len() < number.saturating_sub(self.before)
            && let Some(word) = self.words.next()
        {
            let rows = (self.rows_of)(word.text);
            let (_, sum, unknown) = self.sums.last().copied().unwrap_or_default();
            let sum = sum.saturating_add(rows.unwrap_or_default().at_most);
            self.sums.push((rows, sum, unknown + usize::from(rows.is_none())));
        }
        self.sums.get(number.checked_sub(self.before + 1)?)?.0
    }

    /// The sum of the estimates of the words from one to another; None if one is unknown.
    fn rows_between(&mut self, first: usize, last: usize) -> Option<u64> {
        self.rows_to(last);
        let at = |number: usize| self.sums.get(number.checked_sub(self.before + 1)?);
        let (_, before, unknown_before) = at(first - 1).copied().unwrap_or_default();
        let (_, sum, unknown) = at(last).copied().unwrap_or_default();
        (unknown == unknown_before).then(|| sum.saturating_sub(before))
    }
}

fn unit(scan: &Scan<'_>) -> &'static str {
    match scan.access.table {
        Table::Files => "files",
        Table::Revisions => "revisions",
    }
}

/// Without a fix.
fn finding(
    scan: &Scan<'_>,
    widest: Option<&[u8]>,
    of: usize,
    sum: u64,
    unit: &str,
    limit: u64,
) -> Finding {
    let command = scan.event.excerpt(scan.event.command);
    let item = widest.map_or_else(|| command.clone(), |word| scan.event.excerpt(word));
    let problem = format!("would read about {} {unit}; {}", about(sum), at_most(limit));
    let detail = match widest {
        None if scan.access.goes_by_view => format!("{command} for the whole client {problem}"),
        None => format!("{command} without a path {problem}"),
        Some(_) if of > 1 => format!("{command} for {item} and {} more {problem}", of - 1),
        Some(_) => format!("{command} for {item} {problem}"),
    };
    let place = if widest.is_some() { "Argument" } else { "Command" };
    let (value, limit) = (Amount::Number(sum), Amount::Number(limit));
    Finding { detail, value, limit, ..Finding::about(KIND.summary, place, item, problem) }
}

/// `effect` completes the sentence about a command whose records the index does not count.
pub fn estimate_doubts(rule: &Document, effect: &str, to: &mut Remarks) {
    let is_uncounted = |name: &str| access_of(name.as_bytes()).is_none();
    for (index, name) in texts(rule, "commands").filter(|(_, name)| is_uncounted(name)) {
        let text = format!("{name} has no estimate, and {effect} (remove {name})");
        to.doubt(&["commands".into(), index.into()], text);
    }
}

/// An estimate exceeds the exact number by less than this, and so does the exact number the one
/// that the index proves.
const PRECISION: i64 = 500;

fn remarks(rule: &Document, to: &mut Remarks) {
    const LIMITS: [&str; 2] = ["max_files", "max_revisions"];
    if !LIMITS.iter().any(|limit| rule.contains_key(*limit)) {
        to.problem(&[], "limits nothing: write max_files, max_revisions or both");
    }
    estimate_doubts(rule, "is always counted as unknown", to);
    for key in LIMITS {
        let limit = rule.get(key).and_then(Value::as_i64);
        if let Some(limit) = limit.filter(|limit| *limit < PRECISION) {
            let text = format!(
                "{limit} is below the precision of the index, so most commands near it are unknown \
                 (write {PRECISION} or more)"
            );
            to.doubt(&[key.into()], text);
        }
    }
}
