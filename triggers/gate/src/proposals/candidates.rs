//! Lines to write in place of one that spans too much.
//!
//! Once the placeholder words are replaced, the lines keep the rule's limits on depth and those of
//! `Room`; files and the rows of p4d's map are not counted. Names of directories come from the facts
//! about the server; where these have none, a placeholder stands for a name that the user knows.

use crate::base::effort::{Effort, EffortSpent};
use crate::base::patterns::{is_same, matches};
use crate::base::visible::visible_text;
use crate::facts::depots::MAPPED_TYPES;
use crate::facts::known_depots::KnownDepots;
use crate::paths::depot_path::{literal_start, span};
use crate::paths::view_words::{split_flag, words};
use crate::proposals::line::{Demand, Line};
use crate::proposals::narrowing::{is_name, pattern, starts_with};
use crate::proposals::placeholders::{DEPOT, WIDER_WORDS, before_placeholder, has_placeholder};
use crate::proposals::room::{Decided, Room, overlap};
use std::collections::BTreeSet;

pub const MAX_LINES: usize = 6;
/// Of depots or directories, for each refused line.
const MAX_NAMES: usize = 1_000;
/// Pairs of a pattern's and a name's bytes for which a step is spent.
const PAIRS_OF_A_STEP: usize = 2_048;

/// Lines in place of a refused one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The most important first.
    pub lines: Vec<String>,
    /// Further lines to choose from.
    pub further_count: usize,
    /// With all of them the view would exceed a limit, so that some can only replace `lines`.
    pub exceeds_room: bool,
    /// Nothing is proposed because other lines of the view decide about everything.
    pub decided_by: Option<Decided>,
}

/// The surroundings of a refused line.
pub struct Proposer<'p> {
    pub demand: Demand<'p>,
    pub depots: &'p KnownDepots<'p>,
    pub unicode: bool,
    /// As `//depot/main/`; these are proposed first.
    pub used_directories: &'p [Vec<u8>],
    /// Line number in its field.
    pub number: usize,
}

/// The candidates for a refused line: taken ones, and counts of others.
#[derive(Default)]
struct Taken {
    lines: Vec<String>,
    further_count: usize,
    /// How other lines of the view decide about the candidates that are left out.
    decided_by: BTreeSet<Decided>,
    /// The literal beginnings of lines for directories in use.
    used_starts: Vec<Vec<u8>>,
}

impl Proposer<'_> {
    /// At most `MAX_LINES` lines, each narrow enough for its depot.
    ///
    /// If the user has files from some directories, only these are proposed, and the others counted.
    pub fn propose(
        &self,
        line: &Line<'_>,
        room: &mut Room<'_>,
        effort: &mut Effort,
    ) -> Result<Proposal, EffortSpent> {
        let Some(mut taken) = self.in_use(line, room, effort)? else {
            return Ok(Proposal::default());
        };
        let is_counting = !taken.used_starts.is_empty();
        for candidate in self.candidates(line, effort)? {
            let start = literal_start(candidate.path());
            if let Some(decided) = self.decided(&candidate, room) {
                taken.decided_by.insert(decided);
            } else if is_counting {
                let is_in_use =
                    |used: &Vec<u8>| starts_with(used, start, self.demand.case_sensitive);
                let is_left_out = has_placeholder(candidate.path(), WIDER_WORDS)
                    || taken.used_starts.iter().any(is_in_use);
                taken.further_count += usize::from(!is_left_out);
            } else {
                effort.spend(u64::from(taken.lines.len() < MAX_LINES))?;
                self.take(candidate, line, &mut taken, room);
            }
        }
        let Taken { lines, further_count, decided_by, .. } = taken;
        let is_decided = lines.is_empty() && further_count == 0;
        let decided_by = decided_by.into_iter().reduce(|_, _| Decided::Both).filter(|_| is_decided);
        let further_count = if lines.is_empty() { 0 } else { further_count };
        let exceeds_room = room.left(line.path()).is_some_and(|left| left < further_count);
        Ok(Proposal { lines, further_count, exceeds_room, decided_by })
    }

    /// `propose` for a line in which a placeholder was left, without lines that have it still.
    pub fn propose_names(
        &self,
        line: &Line<'_>,
        room: &mut Room<'_>,
        effort: &mut Effort,
    ) -> Result<Proposal, EffortSpent> {
        if line.keeps_placeholder() {
            return Ok(Proposal::default());
        }
        let wild = line.clone().with_wildcards();
        let is_depth_known = span(wild.path()).is_ok_and(|span| span.depth > 0);
        let is_enough = wild.is_enough(&self.demand);
        let mut proposal = if is_enough || is_depth_known || self.depots.all().is_empty() {
            let taken = self.in_use(&wild, room, effort)?.unwrap_or_default();
            Proposal { lines: taken.lines, ..Proposal::default() }
        } else {
            self.propose(&wild, room, effort)?
        };
        let has_it = |word: &[u8]| {
            let path = split_flag(word).1;
            has_placeholder(path, WIDER_WORDS)
                && before_placeholder(path) == before_placeholder(line.path())
        };
        proposal.lines.retain(|line| !words(line.as_bytes()).any(has_it));
        Ok(Proposal { decided_by: None, ..proposal })
    }

    /// One line for each of these directories within the line, such as `//depot/main/lib/`, if it is
    /// narrow enough as it is.
    pub fn for_directories<'d>(
        &self,
        line: &Line<'_>,
        directories: impl Iterator<Item = &'d [u8]>,
        room: &mut Room<'_>,
        effort: &mut Effort,
    ) -> Result<Proposal, EffortSpent> {
        let mut taken = Taken::default();
        for directory in directories.take(MAX_LINES) {
            effort.spend(1)?;
            let inner = line.toward(directory, &self.demand).filter(|inner| {
                let start = literal_start(inner.path());
                starts_with(start, directory, self.demand.case_sensitive)
                    && inner.is_enough(&self.demand)
            });
            inner.into_iter().for_each(|inner| self.take(inner, line, &mut taken, room));
        }
        Ok(Proposal { lines: taken.lines, ..Proposal::default() })
    }

    /// The lines for directories in use; None if nothing is to be proposed for this line.
    ///
    /// Of directories within each other only one is taken, first those that are deep enough.
    fn in_use(
        &self,
        line: &Line<'_>,
        room: &mut Room<'_>,
        effort: &mut Effort,
    ) -> Result<Option<Taken>, EffortSpent> {
        if line.is_too_long() || !line.can_be_enough(&self.demand) {
            return Ok(None);
        }
        effort.spend(self.used_directories.len() as u64)?;
        let directories = self.used_directories.iter();
        let inner = directories.filter_map(|one| line.toward(one, &self.demand));
        let (deep, shallow): (Vec<_>, Vec<_>) = inner.partition(|one| one.is_enough(&self.demand));
        let (mut taken, mut starts) = (Taken::default(), Vec::<Vec<u8>>::new());
        for inner in deep.into_iter().chain(shallow) {
            let start = literal_start(inner.path()).to_vec();
            if starts.iter().any(|other| overlap(&start, other, self.demand.case_sensitive)) {
                continue;
            }
            starts.push(start.clone());
            let old_count = taken.lines.len();
            match self.decided(&inner, room) {
                Some(decided) => {
                    taken.decided_by.insert(decided);
                }
                None => self.take(inner, line, &mut taken, room),
            }
            taken.used_starts.extend((taken.lines.len() > old_count).then_some(start));
        }
        Ok(Some(taken))
    }

    fn decided(&self, candidate: &Line<'_>, room: &Room<'_>) -> Option<Decided> {
        match candidate.is_right_of_branch() {
            true => None,
            false => room.decided(candidate.path(), self.number),
        }
    }

    fn take(
        &self,
        candidate: Line<'_>,
        refused: &Line<'_>,
        taken: &mut Taken,
        room: &mut Room<'_>,
    ) {
        let is_first = taken.lines.is_empty() && !room.replaced_lines.contains(&self.number);
        let replaced = if is_first { refused.depot_paths() } else { Vec::new() };
        let is_full = taken.lines.len() >= MAX_LINES;
        let deep = Some(candidate).filter(|_| !is_full).and_then(|one| one.deepened(&self.demand));
        let text = deep.and_then(|line| {
            let text = line.text(self.unicode)?;
            room.take(&line.depot_paths(), &replaced).then_some(text)
        });
        match text {
            Some(text) => {
                room.replaced_lines.insert(self.number);
                taken.lines.push(text);
            }
            None => taken.further_count += 1,
        }
    }

    /// The line narrowed to each known name that its first wildcard matches, or by a guess. If
    /// several depots match, there is one candidate for each.
    fn candidates<'l>(
        &self,
        line: &Line<'l>,
        effort: &mut Effort,
    ) -> Result<Vec<Line<'l>>, EffortSpent> {
        if !line.is_of_every_depot() {
            return self.in_depot(line, effort);
        }
        let mut depots: Vec<_> = self.depots.all().iter().collect();
        depots.retain(|depot| MAPPED_TYPES.contains(&&*depot.kind));
        depots.sort_by(|one, other| one.name.cmp(&other.name));
        let names = self.fitting(line, depots.into_iter().map(|depot| &*depot.name), effort)?;
        let names = if names.is_empty() { vec![DEPOT.as_bytes()] } else { names };
        let starts = names.into_iter().filter_map(|name| line.within(name, &self.demand));
        let starts: Vec<_> = starts.filter(|start| span(start.path()).is_ok()).collect();
        let have_it: Vec<bool> = starts.iter().map(|start| self.may_exist(start)).collect();
        let is_anywhere = have_it.contains(&true);
        let starts = starts.into_iter().zip(have_it).filter(|(_, has_it)| *has_it || !is_anywhere);
        let mut starts: Vec<_> = starts.map(|(start, _)| start).collect();
        if let [start] = starts.as_slice() {
            return self.in_depot(start, effort);
        }
        for start in &mut starts {
            if let Some(first) = self.in_depot(start, effort)?.into_iter().next() {
                *start = first;
            }
        }
        Ok(starts)
    }

    /// False if the depot certainly lacks the first directory that the line names.
    fn may_exist(&self, line: &Line<'_>) -> bool {
        let case_sensitive = self.demand.case_sensitive;
        let Ok(span) = span(line.path()) else { return false };
        let depot = self.depots.named(span.depot, case_sensitive);
        match (depot.and_then(|depot| depot.directories.as_ref()), span.names().next()) {
            (Some(tops), Some(first)) => tops.iter().any(|top| is_same(top, first, case_sensitive)),
            _ => true,
        }
    }

    fn in_depot<'l>(
        &self,
        line: &Line<'l>,
        effort: &mut Effort,
    ) -> Result<Vec<Line<'l>>, EffortSpent> {
        if line.is_enough(&self.demand) {
            return Ok(vec![line.clone()]);
        }
        let span = span(line.path()).ok().filter(|span| span.depth == 0);
        let depot = span.and_then(|span| self.depots.named(span.depot, self.demand.case_sensitive));
        let tops = depot.and_then(|depot| depot.directories.as_ref()).into_iter().flatten();
        let names = self.fitting(line, tops.map(Vec::as_slice), effort)?;
        let inner = names.into_iter().filter_map(|name| line.within(name, &self.demand));
        let inner: Vec<_> = inner.collect();
        let guess = || line.within_guess(&self.demand).into_iter().collect();
        Ok(if inner.is_empty() { guess() } else { inner })
    }

    /// Those of the first names that the line's first wildcard matches and a refusal can show.
    fn fitting<'n>(
        &self,
        line: &Line<'_>,
        names: impl Iterator<Item = &'n [u8]>,
        effort: &mut Effort,
    ) -> Result<Vec<&'n [u8]>, EffortSpent> {
        let Some(pattern) = pattern(line.path()) else { return Ok(Vec::new()) };
        let mut fitting = Vec::new();
        for name in names.take(MAX_NAMES) {
            effort.spend((pattern.len() * name.len() / PAIRS_OF_A_STEP) as u64)?;
            let fits = matches(&pattern, name, self.demand.case_sensitive) && is_name(name);
            if fits && visible_text(name, self.unicode).as_bytes() == name {
                fitting.push(name);
            }
        }
        effort.spend(fitting.len() as u64 / 8)?;
        Ok(fitting)
    }
}
