//! Counts by a checkpoint's index how many clients a rule `limit_view_scope` would refuse, and how
//! many files they would still span if each took the widest view that the rule allows: with each
//! line that is too high narrowed to the directory with most files. Shares, numbers of lines, and
//! clients of streams, whose views the streams determine, do not count.

use crate::contract::limit_by_depot::LimitByDepot;
use crate::paths::depot_path::{UnmeasurablePath, span};
use crate::policy::document::Policy;
use crate::policy::modes::ModeWord;
use crate::policy::rule_fields::{RuleFields, settings};
use crate::rules::limit_view_scope::{self, Settings};
use p4warden_index::estimate::count::Table;
use p4warden_index::estimate::widest::{Level, Widest};
use p4warden_index::file::client::Client;
use p4warden_index::file::index::Index;
use p4warden_index::file::trees::IndexError;
use p4warden_index::ranges::range::{Extent, Range, range};
use std::collections::{BTreeMap, BTreeSet};

/// Of more clients, every n-th by name is judged.
const MAX_CLIENTS: u64 = 10_000;
/// A client with more lines is left out.
const MAX_LINES: usize = 200;
/// A line with a higher demand, by `depots`, counts as one that cannot be narrowed.
const MAX_DEPTH: u64 = 6;
/// Further depths that are tried for a rule that saves too little.
const TRIED_DEPTHS: u64 = 3;
/// A rule that saves a smaller part of the refused clients' files saves nothing, and another setting
/// is better if it saves this part at least twice.
const SAVING_PERCENT: u64 = 5;
/// `max_files` is twice what so many of a hundred clients have, and no lower than the least.
const USUAL_PERCENT: usize = 99;
const LEAST_MAX_FILES: u64 = 1000;

/// By name, the rules about the scope of client views that are not off.
pub fn rules_about_clients(policy: &Policy<'_>) -> Result<Vec<(String, Settings)>, String> {
    let mut rules = Vec::new();
    for text in policy.rule_texts() {
        let fields = RuleFields::read(text)?;
        if fields.kind != limit_view_scope::KIND.name || fields.mode == ModeWord::Off {
            continue;
        }
        let read: Settings = settings(text).map_err(|problem| fields.problem(&problem))?;
        if read.forms.iter().any(|form| form == "client") {
            rules.push((fields.name.into_owned(), read));
        }
    }
    Ok(rules)
}

/// Of the clients that a rule would refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub refused: u64,
    /// That they span.
    pub files: u64,
    /// Of these, those that the widest allowed views do not span.
    pub saved: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    MinDepth(u64, Tally),
    MaxFiles(u64, Tally),
}

#[derive(Clone, Debug, Default)]
pub struct Gain {
    /// All of the index, streams' clients included.
    pub clients: u64,
    pub judged: u64,
    pub tally: Tally,
    /// The line that is too high in the widest refused client, and the widest directory below it.
    pub widest: Option<(Level, Widest)>,
    /// None also if the rule saves enough.
    pub better: Option<Better>,
}

impl Gain {
    pub fn is_worth_it(&self) -> bool {
        self.tally.saves(SAVING_PERCENT)
    }
}

impl Tally {
    fn saves(&self, percent: u64) -> bool {
        self.refused == 0 || self.saved * 100 >= self.files * percent && self.saved > 0
    }

    fn add(&mut self, files: u64, kept: u64) {
        self.refused += 1;
        self.files += files;
        self.saved += files - kept.min(files);
    }
}

/// A client's include lines.
struct JudgedClient {
    files: u64,
    have: Option<u64>,
    paths: Vec<Vec<u8>>,
}

pub struct Clients<'i> {
    index: &'i Index,
    case_sensitive: bool,
    judged: Vec<JudgedClient>,
}

impl<'i> Clients<'i> {
    /// At the checkpoint.
    pub fn of(index: &'i Index, case_sensitive: bool) -> Result<Self, IndexError> {
        let step = index.head.clients.entries.div_ceil(MAX_CLIENTS).max(1);
        let (mut at, mut judged) = (0, Vec::new());
        index.each(index.head.clients, |_, value| {
            at += 1;
            if at % step != 0 {
                return;
            }
            let client = Client::read(value).filter(|client| client.stream.is_none());
            judged.extend(client.filter(|one| one.mapping.view.len() <= MAX_LINES).map(|client| {
                let lines = client.mapping.view.into_iter();
                JudgedClient {
                    files: client.totals[0],
                    have: client.have,
                    paths: lines.map(|line| line.depot).collect(),
                }
            }));
        })?;
        Ok(Clients { index, case_sensitive, judged })
    }

    pub fn gain(&self, settings: &Settings) -> Result<Gain, IndexError> {
        let (clients, judged) = (self.index.head.clients.entries, self.judged.len() as u64);
        let mut gain = Gain { clients, judged, ..Gain::default() };
        let Settings { min_depth, max_files, .. } = *settings;
        (gain.tally, gain.widest) = self.tally(settings, min_depth, max_files)?;
        if gain.is_worth_it() {
            return Ok(gain);
        }
        for depth in min_depth + 1..=min_depth + TRIED_DEPTHS {
            let (tally, _) = self.tally(settings, depth, max_files)?;
            if tally.refused > 0 && tally.saves(2 * SAVING_PERCENT) {
                gain.better = Some(Better::MinDepth(depth, tally));
                return Ok(gain);
            }
        }
        let have = self.judged.iter().filter_map(|client| client.have).collect();
        let Some(most) = usual_files(have).filter(|_| max_files.is_none()) else { return Ok(gain) };
        let (tally, _) = self.tally(settings, min_depth, Some(most))?;
        if tally.refused > 0 && tally.saves(2 * SAVING_PERCENT) {
            gain.better = Some(Better::MaxFiles(most, tally));
        }
        Ok(gain)
    }

    /// With other limits than those of the settings.
    fn tally(
        &self,
        settings: &Settings,
        min_depth: u64,
        max_files: Option<u64>,
    ) -> Result<(Tally, Option<(Level, Widest)>), IndexError> {
        let depots = &settings.depots;
        let depths = LimitByDepot::new(depots, min_depth, u64::max, self.case_sensitive);
        // For each line where the rule demands a deeper directory.
        let levels_of = |client: &JudgedClient| {
            client.paths.iter().map(|path| self.level(path, &depths)).collect()
        };
        let levels: Vec<Vec<Option<Level>>> = self.judged.iter().map(levels_of).collect();
        let asked: BTreeSet<Level> = levels.iter().flatten().flatten().cloned().collect();
        let asked = asked.into_iter().filter(|level| level.depth as u64 <= MAX_DEPTH);
        let widest = self.index.widest(asked)?;
        let (mut tally, mut most, mut shown) = (Tally::default(), 0, None);
        let mut known = BTreeMap::new();
        for (client, levels) in self.judged.iter().zip(&levels) {
            let is_too_high = levels.iter().any(Option::is_some);
            let is_too_wide = max_files.is_some_and(|limit| client.files > limit);
            if !is_too_high && !is_too_wide {
                continue;
            }
            let kept = self.kept(client, levels, &widest, &mut known)?;
            tally.add(client.files, max_files.map_or(kept, |limit| kept.min(limit)));
            if client.files >= most && is_too_high {
                most = client.files;
                let found = |level: &Level| Some((level.clone(), widest.get(level)?.clone()));
                shown = levels.iter().flatten().find_map(found);
            }
        }
        Ok((tally, shown))
    }

    fn level(&self, path: &[u8], depths: &LimitByDepot) -> Option<Level> {
        let (depth, need) = match span(path) {
            Ok(span) if span.is_exact => return None,
            Ok(span) => (span.depth, depths.of(span.depot)),
            Err(UnmeasurablePath::EveryDepot) => (0, depths.strictest().max(1)),
            Err(_) => return None,
        };
        if depth >= need {
            return None;
        }
        let literal = range(path, self.index.folds()).literal;
        let end = literal.iter().rposition(|byte| *byte == b'/')? + 1;
        Some(Level { below: literal.get(..end)?.to_vec(), depth: usize::try_from(need).ok()? })
    }

    /// Files that the client would still span.
    fn kept(
        &self,
        client: &JudgedClient,
        levels: &[Option<Level>],
        widest: &BTreeMap<Level, Widest>,
        known: &mut BTreeMap<Vec<Range>, u64>,
    ) -> Result<u64, IndexError> {
        if levels.iter().all(Option::is_none) {
            return Ok(client.files);
        }
        let narrowed = |(path, level): (&Vec<u8>, &Option<Level>)| match level {
            None => Some(range(path, self.index.folds())),
            Some(level) => widest
                .get(level)
                .map(|widest| Range { literal: widest.path.clone(), extent: Extent::Below }),
        };
        let is_known = |level: &Level| widest.contains_key(level);
        if !levels.iter().flatten().all(is_known) {
            return Ok(client.files);
        }
        let ranges: Vec<Range> = client.paths.iter().zip(levels).filter_map(narrowed).collect();
        if let Some(files) = known.get(&ranges) {
            return Ok(*files);
        }
        let files = self.index.count_union(Table::Files, &ranges)?;
        // Estimates may be too low by less than a step for each directory below a depot's own.
        let is_estimated = |level: &&Level| level.depth > 1;
        let estimated = levels.iter().flatten().filter(is_estimated).count() as u64;
        let at_most = files.saturating_add(estimated * self.index.head.step);
        known.insert(ranges, at_most);
        Ok(at_most)
    }
}

/// Twice what nearly all clients have, rounded up to two digits.
fn usual_files(mut have: Vec<u64>) -> Option<u64> {
    have.sort_unstable();
    let usual = have.get(have.len().checked_sub(1)? * USUAL_PERCENT / 100)?;
    let most = (2 * usual).max(LEAST_MAX_FILES);
    let unit = 10_u64.pow(most.ilog10().saturating_sub(1));
    Some(most.div_ceil(unit) * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_files_are_twice_those_of_99_in_a_hundred_clients() {
        assert_eq!(
            usual_files((0..=200).rev().map(|number| number * 1_013).collect()),
            Some(410_000)
        );
        assert_eq!(usual_files(vec![3]), Some(LEAST_MAX_FILES));
        assert_eq!(usual_files(Vec::new()), None);
    }

    #[test]
    fn a_rule_saves_if_it_refuses_nobody_or_a_share_of_the_files_of_those_it_refuses() {
        let saves = |files, saved| Tally { refused: 1, files, saved }.saves(10);
        assert!(Tally::default().saves(10));
        assert_eq!([saves(200, 20), saves(200, 19), saves(0, 0)], [true, false, false]);
    }
}
