//! How often the lines of a view cross, which bounds the rows that p4d's map of the view has besides
//! one for each line.
//!
//! p4d makes the lines disjoint when it reads the map: for each include line and each later line it
//! adds a row for every pattern that both have in common, on their left or on their right sides
//! (MapTable::Disambiguate in map/mapjoin.cc of Perforce's C++ API). Here two lines that may have a
//! file in common count:
//!
//! * 1; for each line the first `FREE_NESTINGS` directories before it in which it lies, or that lie in
//!   it, do not count, as where a directory is mapped elsewhere than the one above it;
//! * or if both have wildcards before their ends, 2 to the power of their number.
//!
//! Where a text of one overlaps a text of the other in several ways, as `aaab` does `baaa`, the ways are
//! in place of the 1, and one more in place of the 2.
//!
//! The map of P4Python has at most ten times as many rows (`fuzz/view_rows.py`).

use crate::paths::depot_path::{has_dots, has_too_many, has_wildcard, literal_start, wildcards};
use crate::paths::view_words::Flag;
use std::borrow::Cow;

const FREE_NESTINGS: u64 = 4;
/// Of each side; both take less than half a second.
const MAX_COMPARISONS: usize = 500_000;
const BYTES_OF_A_COMPARISON: usize = 64;

/// A line of a client, branch or label view; on a server that ignores case, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'l> {
    pub flag: Flag,
    /// Without the flag.
    pub left: Cow<'l, [u8]>,
    /// A label's line repeats the left path.
    pub right: Cow<'l, [u8]>,
}

/// How often the left sides or the right sides of the lines cross, whichever is more often; None for
/// more than `most`.
///
/// It is also None if counting takes more than `MAX_COMPARISONS`, or if p4d would refuse a path for the
/// number of its wildcards.
pub fn crossings(lines: &[Line<'_>], most: u64) -> Option<u64> {
    if lines.iter().any(|line| has_too_many(&line.left) || has_too_many(&line.right)) {
        return None;
    }
    let numbered = || lines.iter().enumerate();
    // A line with `+` makes no rows for lines before it, and one with `&` only those of right sides.
    let lefts = numbered().map(|(number, line)| Path {
        is_crossed: !matches!(line.flag, Flag::Overlay | Flag::Ditto),
        ..Path::new(number, line.flag, &line.left)
    });
    let rights = numbered().map(|(number, line)| Path {
        is_crossed: line.flag != Flag::Overlay,
        ..Path::new(number, line.flag, &line.right)
    });
    let left = crossings_of_paths(lefts.collect(), most)?;
    Some(left.max(crossings_of_paths(rights.collect(), most)?))
}

/// Only paths of which one begins with the literal start of the other can have a file in common.
fn crossings_of_paths(mut paths: Vec<Path<'_>>, most: u64) -> Option<u64> {
    let mut nestings = vec![0; paths.len()];
    let (mut count, mut comparisons) = (0, 0);
    // Those whose starts begin the start of the path.
    let (mut includes, mut exclusions): (Vec<&Path<'_>>, Vec<&Path<'_>>) = Default::default();
    paths.sort_by_key(|path| path.start);
    for path in &paths {
        for above in [&mut includes, &mut exclusions] {
            let begins = |above: &mut &Path<'_>| path.start.starts_with(above.start);
            while above.pop_if(|last| !begins(last)).is_some() {}
        }
        let exclusions_to_compare = if path.is_include { &exclusions[..] } else { &[] };
        for other in includes.iter().chain(exclusions_to_compare) {
            let (first, later) =
                if path.number < other.number { (path, *other) } else { (*other, path) };
            let crossings = first.crossings(later, &mut nestings);
            count = crossings.saturating_add(count);
            let (one, two) = (path.text.len(), other.text.len());
            comparisons += 1 + one.min(two) / BYTES_OF_A_COMPARISON;
            if crossings > 0 {
                comparisons += one * two / BYTES_OF_A_COMPARISON.pow(2);
            }
            if count > most || comparisons > MAX_COMPARISONS {
                return None;
            }
        }
        if path.is_include { &mut includes } else { &mut exclusions }.push(path);
    }
    Some(count)
}

/// One side of a view's line.
#[derive(Debug)]
struct Path<'l> {
    /// Of the line.
    number: usize,
    is_include: bool,
    /// Whether lines before this one get rows for it.
    is_crossed: bool,
    text: &'l [u8],
    /// Before the first wildcard.
    start: &'l [u8],
    /// After the last wildcard.
    end: &'l [u8],
    wildcards_before_end: u32,
    /// With `...` as its only wildcard, at its end.
    is_directory: bool,
}

impl<'l> Path<'l> {
    fn new(number: usize, flag: Flag, text: &'l [u8]) -> Self {
        let start = literal_start(text);
        Path {
            number,
            is_include: flag != Flag::Exclude,
            is_crossed: true,
            text,
            start,
            end: literal_end(text),
            wildcards_before_end: wildcards(text).map(|(_, end)| u32::from(end < text.len())).sum(),
            is_directory: text.strip_suffix(b"...") == Some(start),
        }
    }

    fn crossings(&self, later: &Self, nestings: &mut [u64]) -> u64 {
        if !self.is_include || !later.is_crossed {
            return 0;
        }
        if self.contains(later) || later.contains(self) {
            let Some(nestings) = nestings.get_mut(later.number) else { return 0 };
            *nestings += 1;
            return u64::from(*nestings > FREE_NESTINGS);
        }
        if !self.may_meet(later) {
            return 0;
        }
        let wildcards = self.wildcards_before_end + later.wildcards_before_end;
        let are_both_wild = self.wildcards_before_end.min(later.wildcards_before_end) > 0;
        (self.overlaps(later) + u64::from(are_both_wild)).saturating_pow(wildcards)
    }

    /// In how many ways a text of one path, between its wildcards, overlaps one of the other at most.
    /// A text within another counts only where the ends of two overlap in several ways: from 10 rows
    /// for two lines on, p4d does not find that some repeat others.
    fn overlaps(&self, other: &Self) -> u64 {
        match self.common_texts(other, false) {
            0 | 1 => 1,
            _ => self.common_texts(other, true),
        }
    }

    fn common_texts(&self, other: &Self, with_inner: bool) -> u64 {
        let shared = self.start.len().min(other.start.len());
        let pairs = texts(self.text, shared).flat_map(|one| {
            texts(other.text, shared).flat_map(move |two| [(one, two), (two, one)])
        });
        let ways = |(one, two): (&[u8], &[u8])| {
            let ends = (0..one.len()).filter_map(|at| one.get(at..));
            let is_inner = |end: &[u8]| with_inner && !two.is_empty() && end.starts_with(two);
            ends.filter(|end| two.starts_with(end) || is_inner(end)).count()
        };
        pairs.map(ways).max().unwrap_or(0) as u64
    }

    fn contains(&self, other: &Self) -> bool {
        self.is_directory && other.start.starts_with(self.start)
    }

    /// Whether a file may be in both paths, of which one begins with the literal start of the other.
    fn may_meet(&self, other: &Self) -> bool {
        let names = |path: &Self| path.text.split(|byte| *byte == b'/');
        have_equal_ends(self.end, other.end)
            && all_may_meet(names(self), names(other))
            && all_may_meet(names(self).rev(), names(other).rev())
    }
}

/// The texts before, between and after a path's wildcards, from a byte on that is before the first.
fn texts(path: &[u8], from: usize) -> impl Iterator<Item = &[u8]> {
    let ends = wildcards(path).chain([(path.len(), path.len())]);
    ends.scan(from, |from, (start, end)| path.get(std::mem::replace(from, end)..start))
}

/// Whether the names up to the first with `...` may be equal.
fn all_may_meet<'p>(
    mut one: impl Iterator<Item = &'p [u8]>,
    mut other: impl Iterator<Item = &'p [u8]>,
) -> bool {
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if has_dots(one) || has_dots(other) => return true,
            (Some(one), Some(other)) if may_be_equal(one, other) => {}
            _ => return false,
        }
    }
}

fn may_be_equal(one: &[u8], other: &[u8]) -> bool {
    if !has_wildcard(one) && !has_wildcard(other) {
        return one == other;
    }
    let (one_start, other_start) = (literal_start(one), literal_start(other));
    (one_start.starts_with(other_start) || other_start.starts_with(one_start))
        && have_equal_ends(literal_end(one), literal_end(other))
}

fn have_equal_ends(one: &[u8], other: &[u8]) -> bool {
    one.ends_with(other) || other.ends_with(one)
}

/// The text after the last wildcard; the whole path without one.
fn literal_end(path: &[u8]) -> &[u8] {
    let end = wildcards(path).last().map_or(0, |(_, end)| end);
    path.get(end..).unwrap_or_default()
}
