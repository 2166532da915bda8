//! Counts the patterns that two paths with wildcards have in common, as p4d's map joins them.
//!
//! p4d joins two paths byte by byte, and retries each wildcard with one more byte until all ways are
//! found (MapHalf::Join in map/maphalf.cc of Perforce's C++ API). Each way is one pattern:
//! `//depot/.../a/...` and `//depot/.../b/...` have 4. The ways are counted here without writing the
//! patterns, in steps bounded by the product of both lengths.

use crate::paths::depot_path::first_wildcard;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::collections::{HashMap, HashSet};
use std::hash::Hasher;

/// More patterns than this, and than `FEW`, are written and compared only in part.
const MOST_WRITTEN: u128 = 64;
const FEW: u128 = 4;
/// Steps for each letter of a pattern that is written and compared.
const WRITING_STEPS: u64 = 4;
const MOST_KNOWN: usize = 4096;
/// They take about a tenth of a second.
pub const MAX_COMPARISONS: u64 = 50_000_000;

/// A part of a path: a letter (a byte), or one of the values below.
type Part = u16;
const STAR: Part = 0x100;
const DOTS: Part = 0x101;
/// The end of a path.
const END: Part = 0x102;
/// `%%0`; the other digits follow.
const PLACED: Part = 0x110;
/// The first letter of a path in which letters are renamed.
const RENAMED: Part = 0x200;

/// A path cut into letters and wildcards.
#[derive(Clone, Debug)]
pub struct Path {
    /// With `END`.
    parts: Vec<Part>,
    /// The number of letters before the first wildcard.
    start: usize,
}

impl Path {
    /// Cuts a path without its flag.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        let (mut parts, mut rest) = (Vec::with_capacity(text.len() + 1), text);
        let start = first_wildcard(text).map_or(text.len(), |(start, _)| start);
        while let Some((start, end)) = first_wildcard(rest) {
            parts.extend(rest.iter().take(start).map(|byte| Part::from(*byte)));
            parts.push(match rest.get(start..end) {
                Some([b'*']) => STAR,
                Some([b'%', _, digit]) => PLACED + Part::from(digit.saturating_sub(b'0')),
                _ => DOTS,
            });
            rest = rest.get(end..).unwrap_or_default();
        }
        parts.extend(rest.iter().map(|byte| Part::from(*byte)));
        parts.push(END);
        Path { parts, start }
    }

    fn at(&self, place: usize) -> Part {
        self.parts.get(place).copied().unwrap_or(END)
    }

    fn end(&self) -> usize {
        self.parts.len().saturating_sub(1)
    }
}

fn is_wild(part: Part) -> bool {
    part >= STAR && part != END
}

/// The patterns that two paths have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// Their number; at most the largest one for which there is room.
    pub patterns: u128,
    /// Whether the first path is a part of the second one.
    pub is_all: bool,
    /// The number of steps that counting took.
    pub steps: u64,
}

/// Common patterns of paths that were counted before.
#[derive(Debug, Default)]
pub struct CommonPatterns {
    /// By a digest of the parts of both paths, which takes less room than long paths.
    known: HashMap<u128, Common>,
    /// Operations that are no steps; more than `MAX_COMPARISONS` end the counting.
    pub comparisons: u64,
}

impl CommonPatterns {
    /// Counts the patterns that two paths have in common; more than `most_steps` end the counting.
    pub fn common(&mut self, one: &Path, other: &Path, most_steps: u64) -> Common {
        let start = one.start.min(other.start);
        if one.parts.get(..start) != other.parts.get(..start) {
            return Common { steps: 1, ..Common::default() };
        }
        // Paths with other names count alike, so views of many similar lines are counted once.
        let (key, length) = renamed(one, other, start);
        self.comparisons = self.comparisons.saturating_add(length);
        if let Some(common) = self.known.get(&key) {
            return Common { steps: length, ..*common };
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        let common = Pair { one, other, start }.counted(most_steps, &mut self.comparisons);
        if common.steps <= most_steps {
            self.known.insert(key, common);
        }
        common
    }
}

/// A digest of the parts of both paths with a number for each letter, and the number of parts.
fn renamed(one: &Path, other: &Path, start: usize) -> (u128, u64) {
    let mut numbers: [Option<Part>; 256] = [None; 256];
    let (mut next, mut length, mut hasher) = (RENAMED, 0, SipHasher13::new());
    for part in [one, other].into_iter().flat_map(|path| path.parts.iter().skip(start)) {
        let is_kept = *part >= STAR || b"/*.%".iter().any(|kept| Part::from(*kept) == *part);
        let number = numbers.get_mut(usize::from(*part)).filter(|_| !is_kept);
        hasher.write_u16(number.map_or(*part, |number| {
            *number.get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        }));
        length += 1;
    }
    (hasher.finish128().as_u128(), length)
}

/// The next step at a pair of places: both paths go on, or the wildcard of the first or of the
/// second path takes one more part of the other path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Way {
    Both,
    First,
    Second,
}

/// Places in the first and the second path, and what happens there.
type State = (usize, usize, Way);

/// Two paths, of which the first `start` letters are the same.
struct Pair<'p> {
    one: &'p Path,
    other: &'p Path,
    start: usize,
}

/// The states with the same sum of both places, each with the number of ways to it, in order.
type Layer = Vec<(State, u128)>;

impl Pair<'_> {
    fn counted(&self, most_steps: u64, comparisons: &mut u64) -> Common {
        let (layers, steps) = self.layers(most_steps);
        let last = self.last();
        let ways = layers.last().and_then(|layer| {
            let at = layer.binary_search_by_key(&last, |(state, _)| *state).ok()?;
            layer.get(at).map(|(_, ways)| *ways)
        });
        let ways = ways.unwrap_or(0);
        if steps > most_steps {
            return Common { patterns: 0, is_all: false, steps };
        }
        let is_all = ways > 0 && contains(self.other, self.one, comparisons);
        // p4d drops patterns that are part of a row before them.
        if is_all || (ways > 1 && contains(self.one, self.other, comparisons)) {
            return Common { patterns: 1, is_all, steps };
        }
        if ways <= FEW {
            return Common { patterns: ways, is_all, steps };
        }
        let (kept, written) = self.kept(&layers, comparisons);
        let length = self.one.parts.len() as u64;
        let writing = u64::try_from(written).unwrap_or(u64::MAX).saturating_mul(length);
        Common {
            patterns: (ways.saturating_mul(kept) / written.max(1)).max(kept),
            is_all,
            steps: steps.saturating_add(writing.saturating_mul(WRITING_STEPS)),
        }
    }

    fn last(&self) -> State {
        (self.one.end(), self.other.end(), Way::Both)
    }

    /// By the sum of both places, from twice `start` on; the last layer has the ways to the end.
    /// Ends early after more than `most_steps`.
    fn layers(&self, most_steps: u64) -> (Vec<Layer>, u64) {
        let count = (self.one.end() + self.other.end()).saturating_sub(2 * self.start) + 1;
        let first = vec![((self.start, self.start, Way::Both), 1)];
        let (mut next, mut behind) = (first, Layer::new());
        let (mut layers, mut steps) = (Vec::new(), 1);
        for number in 0..count {
            let layer = merged(std::mem::replace(&mut next, std::mem::take(&mut behind)));
            if number + 1 < count {
                steps += layer.len() as u64;
                if steps > most_steps {
                    break;
                }
                for (state, ways) in &layer {
                    for later in self.moves(*state) {
                        let is_next = later.0 + later.1 == state.0 + state.1 + 1;
                        if is_next { &mut next } else { &mut behind }.push((later, *ways));
                    }
                }
            }
            layers.push(layer);
            if next.is_empty() && behind.is_empty() {
                break;
            }
        }
        (layers, steps)
    }

    /// Writes the first patterns; returns how many no other one contains, and how many they are.
    ///
    /// Only states from which the end can be reached are visited, so that the work is bounded by the
    /// length of the written patterns.
    fn kept(&self, layers: &[Layer], comparisons: &mut u64) -> (u128, u128) {
        let live = self.live(layers);
        let (mut seen, mut patterns, mut written) = (HashSet::new(), Vec::new(), 0);
        // Each written part, with the place of the part before it in the list.
        let mut trail: Vec<(Option<usize>, Part)> = Vec::new();
        let mut places = vec![((self.start, self.start, Way::Both), None)];
        while let Some((state, before)) = places.pop() {
            if written >= MOST_WRITTEN {
                break;
            }
            *comparisons = comparisons.saturating_add(1);
            if state == self.last() {
                written += 1;
                let pattern = self.pattern(&trail, before);
                if seen.insert(pattern.clone()) {
                    patterns.push(Path::new(&pattern));
                }
                continue;
            }
            for later in self.moves(state).filter(|later| live.contains(later)) {
                let emitted = self.emitted(state, later);
                let place = emitted.map(|part| {
                    trail.push((before, part));
                    trail.len() - 1
                });
                places.push((later, place.or(before)));
            }
        }
        patterns.sort_by_key(|path| path.parts.len());
        let mut kept: Vec<Path> = Vec::new();
        for path in patterns {
            if !kept.iter().any(|wider| contains(wider, &path, comparisons)) {
                kept.push(path);
            }
        }
        (kept.len() as u128, written.max(1))
    }

    /// The states from which the end of both paths can be reached.
    fn live(&self, layers: &[Layer]) -> HashSet<State> {
        let mut live = HashSet::from([self.last()]);
        for (state, _) in layers.iter().rev().flatten() {
            if self.moves(*state).any(|later| live.contains(&later)) {
                live.insert(*state);
            }
        }
        live
    }

    /// The text of a pattern, from its last part back.
    fn pattern(&self, trail: &[(Option<usize>, Part)], last: Option<usize>) -> Vec<u8> {
        let mut parts = Vec::new();
        let mut place = last;
        while let Some((before, part)) = place.and_then(|place| trail.get(place)) {
            parts.push(*part);
            place = *before;
        }
        let start = self.one.parts.iter().take(self.start);
        let mut text = Vec::with_capacity(self.start + parts.len());
        for part in start.chain(parts.iter().rev()) {
            match *part {
                STAR => text.push(b'*'),
                DOTS => text.extend_from_slice(b"..."),
                letter => text.extend(u8::try_from(letter)),
            }
        }
        text
    }

    /// The part that a move adds to a pattern: a letter, a wildcard, or nothing.
    fn emitted(&self, (at, beside, _): State, later: State) -> Option<Part> {
        let (one, other) = (self.one.at(at), self.other.at(beside));
        match (is_wild(one), is_wild(other)) {
            (true, true) if (one, other) == (DOTS, DOTS) => Some(DOTS),
            (true, true) => Some(STAR),
            (true, false) => (later.1 > beside).then_some(other),
            (false, _) => (later.0 > at).then_some(one),
        }
    }

    /// The places that follow in both paths, and what happens there.
    fn moves(&self, (at, beside, way): State) -> impl Iterator<Item = State> {
        let (one, other) = (self.one.at(at), self.other.at(beside));
        let swapped = |(beside, at, way): State| match way {
            Way::Both => (at, beside, Way::Both),
            Way::First => (at, beside, Way::Second),
            Way::Second => (at, beside, Way::First),
        };
        let taken_by_one = || taken(self.one, at, self.other, beside);
        let taken_by_other = || taken(self.other, beside, self.one, at).map(|m| m.map(swapped));
        let only = |later: State| [Some(later), None, None];
        let after = |first: State, [second, third, _]: Moves| [Some(first), second, third];
        let moves = match way {
            Way::First => taken_by_one(),
            Way::Second => taken_by_other(),
            Way::Both if is_wild(one) && is_wild(other) => merged_moves(at, beside),
            Way::Both if is_wild(one) => after((at + 1, beside, Way::Both), taken_by_one()),
            Way::Both if is_wild(other) => after((at, beside + 1, Way::Both), taken_by_other()),
            Way::Both if one == other && one != END => only((at + 1, beside + 1, Way::Both)),
            Way::Both => [None; 3],
        };
        moves.into_iter().flatten()
    }
}

type Moves = [Option<State>; 3];

/// The steps after the wildcard of the first path has taken a part of the other path.
fn taken(one: &Path, at: usize, other: &Path, beside: usize) -> Moves {
    let part = other.at(beside);
    if is_wild(part) {
        return merged_moves(at, beside);
    }
    if part == END || (part == Part::from(b'/') && one.at(at) != DOTS) {
        return [None; 3];
    }
    // p4d lets the wildcard go on up to a wildcard of the other path.
    let ends = !is_wild(other.at(beside + 1));
    let end = ends.then_some((at + 1, beside + 1, Way::Both));
    [Some((at, beside + 1, Way::First)), end, None]
}

/// The steps where two wildcards meet: they become one, or one of them goes on.
fn merged_moves(at: usize, beside: usize) -> Moves {
    [
        Some((at + 1, beside + 1, Way::Both)),
        Some((at, beside + 1, Way::First)),
        Some((at + 1, beside, Way::Second)),
    ]
}

/// Adds up the ways to equal states.
fn merged(mut layer: Layer) -> Layer {
    layer.sort_unstable_by_key(|(state, _)| *state);
    layer.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.1 = earlier.1.saturating_add(later.1);
        }
        is_same
    });
    layer
}

/// Whether every file of the second path is one of the first path; false after too many comparisons.
fn contains(one: &Path, other: &Path, comparisons: &mut u64) -> bool {
    let end = other.end();
    // Places in the second path up to which the parts so far match, in order.
    let mut matched = vec![0];
    for part in one.parts.iter().take(one.end()) {
        matched = match (*part, matched.first()) {
            (_, None) => return false,
            (DOTS, Some(first)) => (*first..=end).collect(),
            (part, _) if is_wild(part) => within(other, &matched),
            (part, _) => {
                let is_matched = |place: &&usize| other.at(**place) == part;
                matched.iter().filter(is_matched).map(|place| place + 1).collect()
            }
        };
        *comparisons = comparisons.saturating_add(1 + matched.len() as u64);
        if *comparisons > MAX_COMPARISONS {
            return false;
        }
    }
    matched.last() == Some(&end)
}

/// The places to which a wildcard `*` can go on in a path from any of these places, in order.
fn within(path: &Path, starts: &[usize]) -> Vec<usize> {
    let mut reached: Vec<usize> = Vec::new();
    for start in starts {
        if reached.last().is_some_and(|last| last >= start) {
            continue;
        }
        let stops = |place: &usize| {
            let part = path.at(*place);
            *place >= path.end() || part == Part::from(b'/') || part == DOTS
        };
        let last = (*start..).find(stops).unwrap_or(*start);
        reached.extend(*start..=last);
    }
    reached
}
