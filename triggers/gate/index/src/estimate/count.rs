//! Estimates from a checkpoint index the number of files or revisions in path ranges, in file arguments
//! and in client views.

use crate::base::order::is_same_name;
use crate::estimate::view::ViewRanges;
use crate::file::client::{Client, CountTime};
use crate::file::index::Index;
use crate::file::trees::IndexError;
use crate::ranges::range::{Extent, Range, range};
use crate::ranges::union::{Term, union};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Files, deleted files included: the paths in `db.revhx` and `db.revdx`, or in `db.rev` if the
    /// checkpoint has neither.
    Files,
    /// Revisions of files: the records of `db.rev`.
    Revisions,
}

impl Table {
    fn of<Value>(self, [files, revisions]: [Value; 2]) -> Value {
        match self {
            Table::Files => files,
            Table::Revisions => revisions,
        }
    }
}

/// An interval that has the exact number of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    pub at_least: u64,
    /// Less than two steps for each path range above the exact number.
    pub at_most: u64,
    /// As the samples count: the errors of many such counts cancel out. None of other bounds, whose
    /// errors may all be to one side.
    pub counted: Option<u64>,
}

impl Estimate {
    pub fn exact(number: u64) -> Self {
        Self::between(number, number)
    }

    pub fn between(at_least: u64, at_most: u64) -> Self {
        Estimate { at_least, at_most, counted: None }
    }

    fn sampled(counted: u64, error: u64) -> Self {
        let (at_least, at_most) = (counted.saturating_sub(error), counted.saturating_add(error));
        Estimate { at_least, at_most, counted: Some(counted) }
    }

    /// The number to show.
    pub fn likely(&self) -> u64 {
        self.counted.unwrap_or(self.at_most)
    }

    pub fn capped(self, at_most: u64) -> Self {
        self.lower(Estimate::exact(at_most))
    }

    /// The estimate of the lower of two numbers.
    pub fn lower(self, other: Self) -> Self {
        let both = [self.at_least.min(other.at_least), self.at_most.min(other.at_most)];
        let is_lower = |one: &Self| [one.at_least, one.at_most] == both;
        let [at_least, at_most] = both;
        let lower = [self, other].into_iter().find(is_lower);
        lower.unwrap_or(Self::between(at_least, at_most))
    }
}

/// A client's whole view, counted once for many arguments.
#[derive(Debug)]
pub struct CountedView {
    table: Table,
    pub ranges: ViewRanges,
    terms: Vec<Term>,
    total: Estimate,
}

impl CountedView {
    pub fn total(&self) -> Estimate {
        self.total
    }
}

impl Index {
    /// Estimates the number of files or revisions in a path range; the error is less than the
    /// `step` of the checkpoint index's head. A range of a single path counts as 1 file without a
    /// look at the index.
    pub fn count(&self, table: Table, range: &Range) -> Result<u64, IndexError> {
        if range.extent == Extent::Exactly && table == Table::Files {
            return Ok(1);
        }
        let samples = table.of(self.head.samples);
        let in_directories = table.of(self.head.directory_samples);
        let literal = &range.literal[..];
        if range.extent == Extent::Below
            && let Some(count) = self.exact_count(table, literal)?
        {
            return Ok(count);
        }
        let begins = |key: &[u8]| key < literal;
        let (start, end) = match range.extent {
            Extent::Below => {
                let ends = |key: &[u8]| key < literal || key.starts_with(literal);
                (self.rank(samples, begins)?, self.rank(samples, ends)?)
            }
            Extent::Exactly => {
                (self.rank(samples, begins)?, self.rank(samples, |key| key <= literal)?)
            }
            Extent::Directly => {
                let (directory, name) = range.directory();
                let first = [directory, b"\0", name].concat();
                let start = self.rank(in_directories, |key| key < &first[..])?;
                let ends = |key: &[u8]| key < &first[..] || key.starts_with(&first);
                (start, self.rank(in_directories, ends)?)
            }
        };
        Ok((end - start.min(end)) * self.head.step)
    }

    pub fn estimate(&self, table: Table, range: &Range) -> Result<Estimate, IndexError> {
        let counted = self.count(table, range)?;
        let is_one = range.extent == Extent::Exactly && table == Table::Files;
        let is_exact = range.extent == Extent::Below && is_top(&range.literal);
        if is_one || is_exact {
            return Ok(Estimate::exact(counted));
        }
        let error = self.head.step - 1;
        let top = if counted == 0 { top_range(&range.literal) } else { None };
        let in_top = top.map(|top| self.count(table, &top)).transpose()?;
        Ok(Estimate::sampled(counted, in_top.map_or(error, |in_top| error.min(in_top))))
    }

    /// The exact number of records below a depot, a top-level directory or the whole server; None
    /// for any other literal.
    fn exact_count(&self, table: Table, literal: &[u8]) -> Result<Option<u64>, IndexError> {
        if !is_top(literal) {
            return Ok(None);
        }
        if literal == b"//" {
            return Ok(Some(table.of(self.head.totals)));
        }
        Ok(Some(self.directory_entry(literal)?.map_or(0, |entry| table.of(entry.counts))))
    }

    /// A record in several ranges counts once.
    pub fn count_union(&self, table: Table, ranges: &[Range]) -> Result<u64, IndexError> {
        let mut sum = 0;
        for Term { range, is_minus } in union(ranges) {
            let count = self.count(table, &range)? as i64;
            sum += if is_minus { -count } else { count };
        }
        Ok(sum.max(0) as u64)
    }

    /// As `count_union`, with its bounds: no more than the top-level directories have.
    pub fn estimate_union(&self, table: Table, ranges: &[Range]) -> Result<Estimate, IndexError> {
        let estimate = self.estimate_terms(table, &union(ranges))?;
        let tops: Option<Vec<_>> = ranges.iter().map(|range| top_range(&range.literal)).collect();
        let Some(tops) = tops else { return Ok(estimate) };
        // Exact.
        let in_tops = self.count_union(table, &tops)?;
        Ok(Estimate { at_most: estimate.at_most.min(in_tops), ..estimate })
    }

    fn estimate_terms(&self, table: Table, terms: &[Term]) -> Result<Estimate, IndexError> {
        let (mut at_least, mut counted, mut at_most) = (0, 0, 0);
        for Term { range, is_minus } in terms {
            let one = self.estimate(table, range)?;
            let numbers = [one.at_least, one.likely(), one.at_most];
            let [low, middle, high] = numbers.map(|number| number as i64);
            let signed = if *is_minus { [-high, -middle, -low] } else { [low, middle, high] };
            at_least += signed[0];
            counted += signed[1];
            at_most += signed[2];
        }
        let [at_least, counted, at_most] =
            [at_least, counted, at_most].map(|number| number.max(0) as u64);
        Ok(Estimate { at_least, at_most, counted: Some(counted) })
    }

    /// Estimates the number of records on the server that a path in depot syntax, with or without
    /// wildcards, spans, whatever a client's view maps.
    pub fn count_path(&self, table: Table, path: &[u8]) -> Result<u64, IndexError> {
        self.count(table, &range(path, self.folds()))
    }

    /// Estimates the number of records in the part of a client's view that a file argument covers.
    /// Without an argument, or if the argument covers the whole view, the result is the count of
    /// the whole view; no part counts more.
    ///
    /// `argument` is in depot syntax, or in client syntax if it begins with `//` and the client's
    /// name.
    pub fn count_in_view(
        &self,
        table: Table,
        name: &[u8],
        client: &Client,
        argument: Option<&[u8]>,
    ) -> Result<Estimate, IndexError> {
        let view = self.counted_view(table, client)?;
        match argument {
            None => Ok(view.total),
            Some(path) => self.count_part(&view, &self.ranges_in(&view, name, client, path)),
        }
    }

    pub fn counted_view(&self, table: Table, client: &Client) -> Result<CountedView, IndexError> {
        let ranges = ViewRanges::of(&client.mapping, self.folds());
        let terms = union(&ranges.whole);
        let total = match client.count_time {
            CountTime::Never => self.estimate_terms(table, &terms)?,
            CountTime::AtCheckpoint => Estimate::exact(table.of(client.totals)),
            CountTime::AtSave([at_least, at_most]) => Estimate::between(at_least, at_most),
        };
        Ok(CountedView { table, terms, ranges, total })
    }

    /// The ranges of depot paths that p4d reads for a file argument, in depot or client syntax, by a
    /// client's view.
    pub fn ranges_in(
        &self,
        view: &CountedView,
        name: &[u8],
        client: &Client,
        path: &[u8],
    ) -> Vec<Range> {
        let is_of_client = is_of_client(name, path, self.folds());
        view.ranges.of_argument(&client.mapping.view, path, is_of_client)
    }

    /// Counts the part of a view that is in ranges of `ranges_in`.
    pub fn count_part(&self, view: &CountedView, ranges: &[Range]) -> Result<Estimate, IndexError> {
        let terms = union(ranges);
        if terms == view.terms {
            return Ok(view.total);
        }
        Ok(self.estimate_terms(view.table, &terms)?.capped(view.total.at_most))
    }
}

/// Whether a literal is the whole server, a depot or a top-level directory, whose records the index
/// counts exactly.
fn is_top(literal: &[u8]) -> bool {
    let slashes = literal.iter().filter(|byte| **byte == b'/').count();
    literal == b"//"
        || literal.starts_with(b"//") && literal.ends_with(b"/") && matches!(slashes, 3 | 4)
}

/// The smallest range of a top-level directory, a depot or the whole server that contains a literal.
fn top_range(literal: &[u8]) -> Option<Range> {
    let slashes = literal.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let (end, _) = slashes.take(4).last()?;
    let top = literal.get(..=end).filter(|top| is_top(top))?;
    Some(Range { literal: top.to_vec(), extent: Extent::Below })
}

/// Whether a path is in the client syntax of the client `name`: `//name/...`.
pub fn is_of_client(name: &[u8], path: &[u8], folds: bool) -> bool {
    let rest = path.strip_prefix(b"//").unwrap_or_default();
    let client_name = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
    is_same_name(client_name, name, folds)
}
