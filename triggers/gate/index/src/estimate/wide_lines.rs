//! Finds the lines of a client view that span the most files, and narrower directories to propose
//! instead.

use crate::base::order::{behind, folded_key};
use crate::estimate::count::Table;
use crate::estimate::view::directory_in_depot;
use crate::file::client::Client;
use crate::file::index::Index;
use crate::file::trees::IndexError;
use crate::ranges::range::{Extent, Range, range};
use std::collections::BTreeSet;

/// Reported as too wide, of one view.
const MAX_LINES: usize = 100;
/// Of these, those for which narrower directories are proposed.
const MAX_ADVISED: usize = 3;
/// Looked at for one view line.
const MAX_SAMPLES: usize = 20;
const MAX_NARROWER: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WideLine {
    /// Position among the view's depot paths, from 0.
    pub line: usize,
    /// Estimated, of this line alone.
    pub files: u64,
    /// Each with its estimated number of files, by which they stay within the limit, together with
    /// those of the other reported lines and with the lines that are not reported.
    pub narrower_directories: Vec<(Vec<u8>, u64)>,
}

impl Index {
    /// Selects the lines of a view that should be narrowed, given the depot paths of all lines: the
    /// widest ones, widest first, until the other lines together span at most `at_most` files. At
    /// most 100 lines are selected, and at least one unless there are none. Of several lines with
    /// the same range of paths only the first is considered.
    ///
    /// For the first three selected lines, as far as they span subdirectories, narrower directories
    /// are sought: first among `used_directories` (those from which the client or the user has
    /// files, such as `//depot/main/lib/`), then among other directories if none of them fits.
    pub fn wide_lines(
        &self,
        paths: &[Vec<u8>],
        at_most: u64,
        used_directories: &[Vec<u8>],
    ) -> Result<Vec<WideLine>, IndexError> {
        let ranges: Vec<Range> = paths.iter().map(|path| range(path, self.folds())).collect();
        let mut seen_ranges = BTreeSet::new();
        let mut counts = Vec::with_capacity(ranges.len());
        for (line, range) in ranges.iter().enumerate() {
            if seen_ranges.insert(range) {
                counts.push((self.count(Table::Files, range)?, line));
            }
        }
        counts.sort_by_key(|(files, line)| (std::cmp::Reverse(*files), *line));
        let mut rest: u64 = counts.iter().map(|(files, _)| files).sum();
        let mut wide = Vec::new();
        for (files, line) in counts {
            if wide.len() == MAX_LINES || (rest <= at_most && !wide.is_empty()) {
                break;
            }
            rest -= files;
            wide.push(WideLine { line, files, narrower_directories: Vec::new() });
        }
        let mut room = at_most.saturating_sub(rest);
        for one in wide.iter_mut().take(MAX_ADVISED) {
            let range = ranges.get(one.line).filter(|range| range.extent == Extent::Below);
            let Some(range) = range else { continue };
            one.narrower_directories = self.select_fitting(used_directories, range, &mut room)?;
            if one.narrower_directories.is_empty() {
                one.narrower_directories = self.fitting_directories(range, &mut room)?;
            }
        }
        Ok(wide)
    }

    /// Depot directories with many files that a client had synced at the checkpoint, through its view
    /// at that time; a client directory that is not that of a single depot directory is left out.
    pub fn synced_in_depot(&self, name: &[u8]) -> Result<Vec<Vec<u8>>, IndexError> {
        let Some(Client { synced_directories, mapping, .. }) = self.client_of_checkpoint(name)?
        else {
            return Ok(Vec::new());
        };
        let in_depot =
            |directory: &Vec<u8>| directory_in_depot(&mapping.view, directory, self.folds());
        Ok(synced_directories.iter().filter_map(in_depot).collect())
    }

    /// Those of `directories` inside a path range that are not empty and do not overlap, each with its
    /// estimated number of files, by which it reduces `room`.
    fn select_fitting(
        &self,
        directories: &[Vec<u8>],
        range: &Range,
        room: &mut u64,
    ) -> Result<Vec<(Vec<u8>, u64)>, IndexError> {
        let mut proposals: Vec<(Vec<u8>, u64)> = Vec::new();
        for directory in directories {
            let literal = folded_key(directory, self.folds());
            let is_apart = proposals.iter().all(|(other, _)| {
                let other = folded_key(other, self.folds());
                !literal.starts_with(&other) && !other.starts_with(&literal)
            });
            let is_below = literal.len() > range.literal.len() && range.has(&literal);
            if proposals.len() < MAX_NARROWER && is_apart && is_below {
                let files = self.count(Table::Files, &Range { literal, extent: Extent::Below })?;
                if files > 0 && files <= *room {
                    *room -= files;
                    proposals.push((directory.clone(), files));
                }
            }
        }
        Ok(proposals)
    }

    /// As `select_fitting`, from those above the first sample paths of the index, sorted by path.
    fn fitting_directories(
        &self,
        range: &Range,
        room: &mut u64,
    ) -> Result<Vec<(Vec<u8>, u64)>, IndexError> {
        let mut proposals: Vec<(Vec<u8>, u64)> = Vec::new();
        let mut from = range.literal.clone();
        for _ in 0..MAX_SAMPLES {
            let sample = self.sample_from(self.head.samples[0], &from, &range.literal)?;
            let Some(sample) = sample.filter(|_| proposals.len() < MAX_NARROWER) else { break };
            if let Some((path, files)) = self.first_fitting_directory(&sample, range, *room)? {
                *room -= files;
                from = behind(&path);
                proposals.push((path, files));
            } else {
                from = behind(&sample);
            }
        }
        Ok(proposals)
    }

    /// The outermost directory above the path `sample` that lies inside a path range and contains
    /// from 1 to `at_most` files, with its estimated number of files; None if there is none.
    fn first_fitting_directory(
        &self,
        sample: &[u8],
        range: &Range,
        at_most: u64,
    ) -> Result<Option<(Vec<u8>, u64)>, IndexError> {
        let slashes = sample.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (at, _) in slashes.filter(|(at, _)| *at >= range.literal.len()) {
            let literal = sample.get(..=at).unwrap_or_default().to_vec();
            let directory = Range { literal, extent: Extent::Below };
            let files = self.count(Table::Files, &directory)?;
            if files > 0 && files <= at_most {
                return Ok(Some((directory.literal, files)));
            }
        }
        Ok(None)
    }
}
