//! Lines to write in place of one that spans too much, to be judged in its place.
//!
//! Once the placeholder words are replaced, each line keeps the rule's limits on depth. Names of
//! directories come from the facts about the server; where these have none, a placeholder stands for
//! a name that the user knows.

use crate::base::effort::{Effort, EffortSpent};
use crate::base::patterns::{is_same, matches};
use crate::base::visible::visible_text;
use crate::facts::depots::MAPPED_TYPES;
use crate::facts::known_depots::KnownDepots;
use crate::forms::view_lines::FormLine;
use crate::paths::depot_path::{literal_start, span};
use crate::paths::view_words::{split_flag, words};
use crate::proposals::line::{Demand, Line};
use crate::proposals::narrowing::{is_name, pattern, starts_with};
use crate::proposals::other_lines::{Decided, OtherLines, overlap};
use crate::proposals::placeholders::{DEPOT, WIDER_WORDS, before_placeholder, has_placeholder};
use std::collections::BTreeSet;

pub const MAX_LINES: usize = 6;
/// Of depots or directories, for each refused line.
const MAX_NAMES: usize = 1_000;
/// Pairs of a pattern's and a name's bytes for which a step is spent.
const PAIRS_OF_A_STEP: usize = 2_048;

/// Lines in place of a refused one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The refused one.
    pub line: Option<FormLine>,
    /// At most `MAX_LINES`, the best first.
    pub lines: Vec<String>,
    /// Others to choose from.
    pub further: Vec<String>,
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
    pub other_lines: &'p OtherLines,
    /// Line number in its field.
    pub number: usize,
}

impl Proposer<'_> {
    /// If the user has files from some directories, only these are proposed, and the others are
    /// further ones.
    pub fn propose(&self, line: &Line<'_>, effort: &mut Effort) -> Result<Proposal, EffortSpent> {
        if !self.is_possible(line) {
            return Ok(Proposal::default());
        }
        let mut decided = BTreeSet::new();
        let used = self.undecided(self.in_use(line, effort)?, &mut decided);
        let mut known = self.undecided(self.candidates(line, effort)?, &mut decided);
        let is_decided = used.is_empty() && known.is_empty();
        if !used.is_empty() {
            known.retain(|one| !self.is_in_use(one, &used));
        }
        let (mut lines, mut further) = (self.texts(used, effort)?, self.texts(known, effort)?);
        if lines.is_empty() {
            lines = std::mem::take(&mut further);
        }
        let others = lines.split_off(lines.len().min(MAX_LINES));
        let decided_by = decided.into_iter().reduce(|_, _| Decided::Both).filter(|_| is_decided);
        Ok(Proposal {
            lines,
            further: [others, further].concat(),
            decided_by,
            ..Proposal::default()
        })
    }

    /// `propose` for a line in which a placeholder was left, without lines that have it still.
    pub fn propose_names(
        &self,
        line: &Line<'_>,
        effort: &mut Effort,
    ) -> Result<Proposal, EffortSpent> {
        if line.keeps_placeholder() {
            return Ok(Proposal::default());
        }
        let wild = line.clone().with_wildcards();
        let is_depth_known = span(wild.path()).is_ok_and(|span| span.depth > 0);
        let is_narrow = wild.is_enough(&self.demand) || is_depth_known;
        let mut proposal = if is_narrow || self.depots.all().is_empty() {
            let used = self.undecided(self.in_use(&wild, effort)?, &mut BTreeSet::new());
            Proposal { lines: self.texts(used, effort)?, ..Proposal::default() }
        } else {
            self.propose(&wild, effort)?
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
        effort: &mut Effort,
    ) -> Result<Proposal, EffortSpent> {
        let inner = directories.take(MAX_LINES).filter_map(|directory| {
            line.toward(directory, &self.demand).filter(|inner| {
                let start = literal_start(inner.path());
                starts_with(start, directory, self.demand.case_sensitive)
                    && inner.is_enough(&self.demand)
            })
        });
        Ok(Proposal { lines: self.texts(inner.collect(), effort)?, ..Proposal::default() })
    }

    fn is_possible(&self, line: &Line<'_>) -> bool {
        !line.is_too_long() && line.can_be_enough(&self.demand)
    }

    /// Of directories within each other only one is taken, first those that are deep enough.
    fn in_use<'l>(
        &self,
        line: &Line<'l>,
        effort: &mut Effort,
    ) -> Result<Vec<Line<'l>>, EffortSpent> {
        if !self.is_possible(line) {
            return Ok(Vec::new());
        }
        effort.spend(self.used_directories.len() as u64)?;
        let directories = self.used_directories.iter();
        let inner = directories.filter_map(|one| line.toward(one, &self.demand));
        let (deep, shallow): (Vec<_>, Vec<_>) = inner.partition(|one| one.is_enough(&self.demand));
        let mut apart: Vec<Line<'l>> = Vec::new();
        for inner in deep.into_iter().chain(shallow) {
            let start = literal_start(inner.path());
            let meets = |other: &Line<'_>| {
                overlap(start, literal_start(other.path()), self.demand.case_sensitive)
            };
            if !apart.iter().any(meets) {
                apart.push(inner);
            }
        }
        Ok(apart)
    }

    /// Also true for a placeholder, where a name in use is known.
    fn is_in_use(&self, candidate: &Line<'_>, used: &[Line<'_>]) -> bool {
        let start = literal_start(candidate.path());
        let is_within = |used: &Line<'_>| {
            starts_with(literal_start(used.path()), start, self.demand.case_sensitive)
        };
        has_placeholder(candidate.path(), WIDER_WORDS) || used.iter().any(is_within)
    }

    /// Those about which no other lines of the view decide; `decided` gets how they decide.
    fn undecided<'l>(
        &self,
        mut candidates: Vec<Line<'l>>,
        decided: &mut BTreeSet<Decided>,
    ) -> Vec<Line<'l>> {
        candidates.retain(|one| {
            let by = self.other_lines.decided(one.path(), self.number);
            let by = by.filter(|_| !one.is_right_of_branch());
            decided.extend(by);
            by.is_none()
        });
        candidates
    }

    fn texts(
        &self,
        candidates: Vec<Line<'_>>,
        effort: &mut Effort,
    ) -> Result<Vec<String>, EffortSpent> {
        effort.spend(candidates.len() as u64)?;
        let deep = candidates.into_iter().filter_map(|one| one.deepened(&self.demand));
        Ok(deep.filter_map(|line| line.text(self.unicode)).collect())
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
