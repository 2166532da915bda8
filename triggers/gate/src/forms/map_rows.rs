//! Whether p4d's internal map of a view may have too many rows.
//!
//! p4d makes the lines of a view disjoint when it reads the map: for each include line it adds a row
//! for every pattern that its left side has in common with that of a later line, and for every one
//! of their right sides (MapTable::Disambiguate in map/mapjoin.cc of Perforce's C++ API, followed
//! here line by line; compared with P4.Map of P4Python 2026.1):
//!
//! * It goes from the last line of the view to the first. Exclusions themselves are no rows.
//! * A row that is part of one of the 8 rows before it is dropped. So a line that a later line covers
//!   as a whole gets no rows for the lines between them, and two lines whose right sides mirror the
//!   left ones get their patterns once up to 9 patterns, and twice from 10 on.
//! * A later line with `+` makes no rows, and one with `&` only those of the right sides.

use crate::forms::common_patterns::{Common, CommonPatterns, MAX_COMPARISONS, Path};
use crate::forms::meeting_lines::MeetingLines;
use crate::paths::depot_path::{has_too_many, has_wildcard};
use crate::paths::view_words::Flag;
use std::borrow::Cow;
use std::cell::OnceCell;

pub const MAX_STEPS: u64 = 1_000_000;
/// Rows for each line that do not count where both lines have a wildcard only at their ends, as
/// where a directory is mapped elsewhere than the directory above it.
const FREE_ROWS: u128 = 4;
const ROWS_COMPARED: u128 = 8;
const DOUBLED_FROM: u128 = 10;
/// Comparisons that take as long as one step, or as sorting a line in among others.
const COMPARISONS_OF_A_STEP: u64 = 20;
const COMPARISONS_OF_A_MEETING: u64 = 8;

/// A line of a client, branch or label view; on a server that ignores case, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'l> {
    pub flag: Flag,
    /// Without the flag.
    pub left: Cow<'l, [u8]>,
    /// A label's line repeats the left path.
    pub right: Cow<'l, [u8]>,
}

/// Whether p4d's map of a view may have more than `most` rows besides one for each line.
///
/// `FREE_ROWS` are not counted. The answer is also yes if counting takes more than `MAX_STEPS` or
/// `MAX_COMPARISONS`, or if p4d would refuse a path for the number of its wildcards.
#[must_use]
pub fn has_more_rows(lines: &[Line<'_>], most: u64) -> bool {
    if lines.iter().any(|line| has_too_many(&line.left) || has_too_many(&line.right)) {
        return true;
    }
    let mut rows = MapRows::new(lines);
    (0..lines.len()).rev().any(|number| {
        rows.add(number);
        rows.extra > u128::from(most) || rows.is_too_long()
    })
}

/// The rows of p4d's map for the lines of a view, added from the last line to the first.
#[derive(Debug)]
pub struct MapRows<'l> {
    lines: &'l [Line<'l>],
    sides: Vec<Sides<'l>>,
    /// Of lines that repeat the one after them, the last one. They add no rows.
    repeated: Vec<usize>,
    lefts: MeetingLines<'l>,
    rights: MeetingLines<'l>,
    patterns: CommonPatterns,
    /// The last lines, each with the number of rows before its own row.
    before: Vec<(usize, u128)>,
    free_used: Vec<u128>,
    counting_steps: u64,
    pub count: u128,
    /// The rows besides one for each line, without `FREE_ROWS`.
    pub extra: u128,
}

impl<'l> MapRows<'l> {
    #[must_use]
    pub fn new(lines: &'l [Line<'l>]) -> Self {
        let mut repeated: Vec<usize> = (0..lines.len()).collect();
        for (number, pair) in lines.windows(2).enumerate().rev() {
            if let ([one, next], Some(last)) = (pair, repeated.get(number + 1).copied()) {
                repeated
                    .iter_mut()
                    .skip(number)
                    .take(usize::from(one == next))
                    .for_each(|n| *n = last);
            }
        }
        MapRows {
            lines,
            sides: lines.iter().map(Sides::new).collect(),
            repeated,
            lefts: MeetingLines::default(),
            rights: MeetingLines::default(),
            patterns: CommonPatterns::default(),
            before: Vec::new(),
            free_used: vec![0; lines.len()],
            counting_steps: 0,
            count: 0,
            extra: 0,
        }
    }

    /// The number of steps that all counting so far took.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.counting_steps.saturating_add(self.lefts.steps).saturating_add(self.rights.steps)
    }

    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.steps() > MAX_STEPS || self.patterns.comparisons > MAX_COMPARISONS
    }

    /// Adds the rows of the view's line with this number (from 0), after those of all later lines.
    pub fn add(&mut self, number: usize) {
        let Some(line) = self.lines.get(number) else { return };
        if line.flag != Flag::Exclude {
            let count = self.count;
            self.before.retain(|(_, rows)| count.saturating_sub(*rows) <= ROWS_COMPARED);
            self.add_rows(line, number);
            self.before.push((number, self.count));
            self.count = self.count.saturating_add(1);
        }
        if self.repeated.get(number) != Some(&number) {
            return;
        }
        if line.flag != Flag::Overlay {
            self.rights.add(&line.right, number);
        }
        if !matches!(line.flag, Flag::Overlay | Flag::Ditto) {
            self.lefts.add(&line.left, number);
        }
    }

    fn add_rows(&mut self, line: &Line<'_>, number: usize) {
        let mut meeting = self.lefts.beside(&line.left);
        meeting.extend(self.rights.beside(&line.right));
        meeting.sort_unstable_by(|one, other| other.cmp(one));
        meeting.dedup();
        let comparisons = COMPARISONS_OF_A_MEETING * meeting.len() as u64;
        self.patterns.comparisons = self.patterns.comparisons.saturating_add(comparisons);
        for (later, _) in self.before.clone() {
            let last = self.repeated.get(later).copied().unwrap_or(later);
            let meets = meeting.binary_search_by(|other| last.cmp(other)).is_ok();
            if meets && self.covers(later, number) {
                return;
            }
            if self.is_too_long() {
                return;
            }
        }
        let mut before = None;
        for later in meeting {
            let later_line = self.lines.get(later);
            // Lines that repeat the one before add no rows.
            if later_line != before {
                let (rows, is_all) = self.rows_for(number, later);
                self.count = self.count.saturating_add(rows);
                let counted = rows.saturating_sub(self.free(rows, number, later));
                self.extra = self.extra.saturating_add(counted);
                if is_all || self.is_too_long() {
                    return;
                }
            }
            before = later_line;
        }
    }

    fn is_recent(&self, later: usize) -> bool {
        let before = self.before.iter().find(|(number, _)| *number == later);
        before.is_some_and(|(_, rows)| self.count.saturating_sub(*rows) <= ROWS_COMPARED)
    }

    fn covers(&mut self, later: usize, number: usize) -> bool {
        let (Some(one), Some(other)) = (self.sides.get(number), self.sides.get(later)) else {
            return false;
        };
        if one.mirror != other.mirror {
            return false;
        }
        let lefts = one.left.common(&other.left, &mut self.patterns, MAX_STEPS);
        // These steps do not count as such, but a line has up to eight of these countings.
        let comparisons = lefts.steps.saturating_mul(COMPARISONS_OF_A_STEP);
        self.patterns.comparisons = self.patterns.comparisons.saturating_add(comparisons);
        lefts.is_all
    }

    /// The number of rows for a line and a later one, and whether it covers the line.
    fn rows_for(&mut self, number: usize, later: usize) -> (u128, bool) {
        let most_steps = MAX_STEPS.saturating_sub(self.steps());
        let is_recent = self.is_recent(later);
        let sides = (self.sides.get(number), self.sides.get(later), self.lines.get(later));
        let (Some(one), Some(other), Some(line)) = sides else { return (0, false) };
        let is_mirror = one.mirror == other.mirror;
        if is_mirror && is_recent {
            return (0, false);
        }
        let lefts = match line.flag {
            Flag::Ditto => Common::default(),
            _ => one.left.common(&other.left, &mut self.patterns, most_steps),
        };
        let is_once = lefts.is_all || (is_mirror && lefts.patterns > 0);
        let rights = match is_once {
            true => Common::default(),
            false => one.right.common(&other.right, &mut self.patterns, most_steps),
        };
        let steps = lefts.steps.saturating_add(rights.steps);
        self.counting_steps = self.counting_steps.saturating_add(steps);
        let rows = lefts.patterns.saturating_add(rights.patterns);
        let times = if is_mirror && lefts.patterns >= DOUBLED_FROM { 2 } else { 1 };
        (rows.saturating_mul(times), lefts.is_all || rights.is_all)
    }

    /// How many of a later line's rows do not count; remembers that they are used.
    fn free(&mut self, rows: u128, number: usize, later: usize) -> u128 {
        let has_literals = |number| self.sides.get(number).is_some_and(Sides::has_literals);
        let is_exclusion = self.lines.get(later).is_some_and(|line| line.flag == Flag::Exclude);
        // The first row for an exclusion stands for the exclusion.
        let of_line = if has_literals(number) && has_literals(later) {
            FREE_ROWS
        } else {
            u128::from(is_exclusion)
        };
        let Some(used) = self.free_used.get_mut(later) else { return 0 };
        let free = of_line.saturating_sub(*used).min(rows);
        *used = used.saturating_add(free);
        free
    }
}

/// Both sides of a view's line.
#[derive(Debug)]
struct Sides<'l> {
    /// The beginnings of both sides, before the text at their ends that is the same.
    mirror: (&'l [u8], &'l [u8]),
    left: OneSide<'l>,
    right: OneSide<'l>,
}

impl<'l> Sides<'l> {
    fn new(line: &'l Line<'_>) -> Self {
        let (left, right) = (&*line.left, &*line.right);
        let pairs = left.iter().rev().zip(right.iter().rev());
        let same = pairs.take_while(|(one, other)| one == other).count();
        let beginning = |side: &'l [u8]| side.get(..side.len() - same).unwrap_or_default();
        Sides {
            mirror: (beginning(left), beginning(right)),
            left: OneSide::new(left),
            right: OneSide::new(right),
        }
    }

    fn has_literals(&self) -> bool {
        self.left.literal.is_some() && self.right.literal.is_some()
    }
}

/// One side of a view's line.
#[derive(Debug)]
struct OneSide<'l> {
    path: &'l [u8],
    /// The text before a `...` that is the path's only wildcard and its end.
    literal: Option<&'l [u8]>,
    cut: OnceCell<Path>,
}

impl<'l> OneSide<'l> {
    fn new(path: &'l [u8]) -> Self {
        let literal = path.strip_suffix(b"...").filter(|literal| !has_wildcard(literal));
        OneSide { path, literal, cut: OnceCell::new() }
    }

    fn common(
        &self,
        other: &OneSide<'_>,
        patterns: &mut CommonPatterns,
        most_steps: u64,
    ) -> Common {
        let (Some(one), Some(two)) = (self.literal, other.literal) else {
            return patterns.common(self.cut(), other.cut(), most_steps);
        };
        let is_all = one.starts_with(two);
        let is_part = is_all || two.starts_with(one);
        Common { patterns: u128::from(is_part), is_all, steps: 1 }
    }

    fn cut(&self) -> &Path {
        self.cut.get_or_init(|| Path::new(self.path))
    }
}
