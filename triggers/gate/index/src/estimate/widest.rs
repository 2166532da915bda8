//! Finds, at given depths below given paths, the directories with the most files.

use crate::base::order::folded_key;
use crate::file::directory_entry::DirectoryEntry;
use crate::file::index::Index;
use crate::file::trees::IndexError;
use std::collections::{BTreeMap, HashMap};

/// Paths are in lower case if case is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level {
    /// `//`, a depot or a directory, ending with a slash.
    pub below: Vec<u8>,
    /// Directories below the depot, at least one and more than `below` names.
    pub depth: usize,
}

/// Of all directories at one level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Widest {
    /// Ends with a slash.
    pub path: Vec<u8>,
    pub files: u64,
    /// With files; those with fewer than the step of the index's samples may be missing, unless
    /// they are directly below a depot.
    pub directories: u64,
}

impl Index {
    /// At the checkpoint. A level is missing if no directory is known there. One pass over the
    /// samples answers all questions.
    pub fn widest(
        &self,
        levels: impl IntoIterator<Item = Level>,
    ) -> Result<BTreeMap<Level, Widest>, IndexError> {
        let (mut of_depots, mut deeper): (Tracks, Tracks) = Default::default();
        for Level { below, depth } in levels {
            let tracks = if depth == 1 { &mut of_depots } else { &mut deeper };
            tracks.entry(below).or_default().entry(depth).or_default();
        }
        self.each(self.head.places, |path, value| {
            if let Some(entry) = DirectoryEntry::read(value) {
                pass(&mut of_depots, &folded_key(path, self.folds()), entry.counts[0]);
            }
        })?;
        if !deeper.is_empty() {
            self.each(self.head.samples[0], |path, _| {
                pass(&mut deeper, &folded_key(path, self.folds()), self.head.step);
            })?;
        }
        let tracks = of_depots.into_iter().chain(deeper);
        let levels = tracks.flat_map(|(below, levels)| {
            levels.into_iter().filter_map(move |(depth, track)| {
                let level = Level { below: below.clone(), depth };
                Some((level, track.widest()?))
            })
        });
        Ok(levels.collect())
    }
}

/// By the path above, and by depth.
type Tracks = HashMap<Vec<u8>, BTreeMap<usize, Track>>;

/// The paths come in order.
#[derive(Debug, Default)]
struct Track {
    current: Vec<u8>,
    files: u64,
    best: Widest,
}

impl Track {
    fn pass(&mut self, directory: &[u8], files: u64) {
        if self.current != directory {
            self.close();
            self.current = directory.to_vec();
        }
        self.files += files;
    }

    fn close(&mut self) {
        if self.files == 0 {
            return;
        }
        self.best.directories += 1;
        if self.files > self.best.files {
            (self.best.path, self.best.files) = (std::mem::take(&mut self.current), self.files);
        }
        self.files = 0;
    }

    fn widest(mut self) -> Option<Widest> {
        self.close();
        (self.best.directories > 0).then_some(self.best)
    }
}

fn pass(tracks: &mut Tracks, path: &[u8], files: u64) {
    let slashes = path.iter().enumerate().skip(1).filter(|(_, byte)| **byte == b'/');
    let ends: Vec<usize> = slashes.map(|(at, _)| at + 1).collect();
    for end in &ends {
        let below = path.get(..*end).unwrap_or_default();
        for (depth, track) in tracks.get_mut(below).into_iter().flatten() {
            // Of `//depot/a/`, the depot ends at the second of these slashes, `a` at the third.
            if let Some(directory) = ends.get(*depth + 1).and_then(|end| path.get(..*end)) {
                track.pass(directory, files);
            }
        }
    }
}
