//! Whether a client's view certainly maps a file of a proposed path.
//!
//! What exclusions leave of a range cannot be counted, so a path of which the index has a sample must
//! be mapped; or a single line maps all below a directory, with files.

use crate::rules::limit_scanned_rows::argument::{KnownClient, Scan, Syntax};
use p4warden_index::base::order::behind;
use p4warden_index::ranges::pattern::translate;
use p4warden_index::ranges::range::{Extent, Range, split};

/// For each range of depot paths.
const MAX_SAMPLES: usize = 32;

/// None if unknown. True for a path of which no view decides.
pub fn has_mapped_file(scan: &Scan<'_>, path: &[u8]) -> Option<bool> {
    if matches!(scan.syntax_of(path)?, Syntax::Depot(_)) && !scan.access.goes_by_view {
        return Some(true);
    }
    let (client, path) = scan.through_view(path)?;
    let ranges = scan.ranges_of(&client, &path)?;
    let asked = Asked { scan, client: &client, path: &path };
    Some(ranges.iter().any(|range| {
        asked.has_sample(range).unwrap_or(false) || asked.is_whole(range).unwrap_or(false)
    }))
}

struct Asked<'s, 'a> {
    scan: &'s Scan<'a>,
    client: &'s KnownClient,
    path: &'s [u8],
}

impl Asked<'_, '_> {
    fn has_sample(&self, range: &Range) -> Option<bool> {
        let index = self.scan.index;
        let mut from = range.literal.clone();
        for _ in 0..MAX_SAMPLES {
            self.scan.spend(self.client.entry.mapping.line_count())?;
            let sample = index.sample_from(index.head.samples[0], &from, &range.literal).ok()??;
            if range.has(&sample) && self.is_mapped(&sample) {
                return Some(true);
            }
            let excluded = self.client.view(self.scan)?.ranges.excluded_around(&sample);
            from = behind(excluded.unwrap_or(&sample));
        }
        None
    }

    fn is_mapped(&self, depot_path: &[u8]) -> bool {
        let places = self.client.lines(self.scan.index.folds()).own_places(depot_path);
        places.iter().any(|(_, place)| self.has(place) || self.has(depot_path))
    }

    /// Whether the path stands for a file in client or depot syntax.
    fn has(&self, file: &[u8]) -> bool {
        matches!(translate(self.path, self.path, file, self.scan.index.folds()), Some(Some(_)))
    }

    fn is_whole(&self, range: &Range) -> Option<bool> {
        let (index, literal) = (self.scan.index, &range.literal);
        let is_all = split(self.path).1 == b"..." && range.extent == Extent::Below;
        let has_files = index.estimate(self.scan.access.table, range).ok()?.at_least > 0;
        let place = self.client.lines(index.folds()).place_of_all_below(literal)?;
        Some(is_all && has_files && (self.has(&place) || self.has(literal)))
    }
}
