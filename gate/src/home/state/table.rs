//! The rates: places in which a key's time is kept for as long as it is ahead.
//!
//! A key is kept near or far. Near is a page that it shares with all keys of the same user (or of
//! what else its limit names first), so that a decision reads and writes one page however many
//! limits it is judged by. When live keys fill that page, the next ones go to the page behind it,
//! and after a few pages to one of two groups that the key's own number chooses. The first place of
//! each page says until when keys are kept beyond it: as long as none is, nobody looks there.

use super::header::Header;
use super::layout::{GROUP_PLACES, Layout, PAGE_PLACES, Place};
use super::pieces::{Pieces, Spot};
use super::place::{is_of, taken, until_ns};
use crate::base::fault::Fault;
use crate::home::folder::Opened;
use crate::rules::keys::Key;

/// So many pages are near.
const NEAR: u64 = 4;
/// Added to the time up to which a page is marked for keys beyond it, so that not each of them
/// writes the mark anew.
const MORE_NS: u64 = 1_000_000_000;

/// The file that a decision has locked, and when it did.
#[derive(Clone, Copy)]
pub(super) struct Locked<'f> {
    pub opened: &'f Opened,
    pub header: &'f Header,
    pub now_ns: u64,
}

/// A place that was found, beyond so many near pages.
struct Found {
    passed: u64,
    spot: Spot,
}

/// The table, as far as one decision reads it.
#[derive(Debug)]
pub(super) struct Table {
    layout: Layout,
    pieces: Pieces,
}

impl Table {
    pub fn new(layout: Layout) -> Self {
        Table { layout, pieces: Pieces::default() }
    }

    /// Until when a key's places are taken, 0 if nothing is kept of it.
    pub fn kept_ns(&mut self, file: Locked<'_>, key: Key) -> Result<u64, Fault> {
        let found = self.find(file, key)?;
        Ok(found.map_or(0, |found| self.until_ns(file, found.spot)))
    }

    /// Keeps a time of a key; false if all places that may be its own are another's and live.
    pub fn keep(&mut self, file: Locked<'_>, key: Key, until_ns: u64) -> Result<bool, Fault> {
        let known = self.find(file, key)?;
        let found = if known.is_some() { known } else { self.free(file, key)? };
        let Some(Found { passed, spot }) = found else { return Ok(false) };
        for page in 0..passed {
            let first = (self.page(file, key, page)?, 0);
            if self.until_ns(file, first) < until_ns {
                let told_ns = until_ns.saturating_add(MORE_NS);
                self.pieces.put(first, taken(0, told_ns, file.header));
            }
        }
        self.pieces.put(spot, taken(key.own, until_ns, file.header));
        Ok(true)
    }

    /// Writes what changed.
    pub fn write(&self, opened: &Opened) -> Result<(), Fault> {
        self.pieces.write(opened)
    }

    /// The place that is a key's, or was the last time.
    fn find(&mut self, file: Locked<'_>, key: Key) -> Result<Option<Found>, Fault> {
        self.search(file, key, |place| is_of(place, key.own), |beyond_ns| beyond_ns > file.now_ns)
    }

    /// A place that a key may take.
    fn free(&mut self, file: Locked<'_>, key: Key) -> Result<Option<Found>, Fault> {
        let is_free = |place: &Place| until_ns(place, file.header) <= file.now_ns;
        self.search(file, key, is_free, |_| true)
    }

    /// Looks for a place near and then far, as long as there is reason to go on.
    fn search(
        &mut self,
        file: Locked<'_>,
        key: Key,
        wanted: impl Fn(&Place) -> bool,
        goes_on: impl Fn(u64) -> bool,
    ) -> Result<Option<Found>, Fault> {
        for passed in 0..NEAR {
            let page = self.page(file, key, passed)?;
            if let Some(spot) = self.pieces.first(page, page_order(key), &wanted) {
                return Ok(Some(Found { passed, spot }));
            }
            if !goes_on(self.until_ns(file, (page, 0))) {
                return Ok(None);
            }
        }
        for start in self.layout.groups_of(key) {
            let group = self.pieces.load(file.opened, start, GROUP_PLACES)?;
            if let Some(spot) = self.pieces.first(group, 0..GROUP_PLACES, &wanted) {
                return Ok(Some(Found { passed: NEAR, spot }));
            }
        }
        Ok(None)
    }

    fn page(&mut self, file: Locked<'_>, key: Key, passed: u64) -> Result<usize, Fault> {
        self.pieces.load(file.opened, self.layout.page_of(key, passed), PAGE_PLACES)
    }

    fn until_ns(&self, file: Locked<'_>, spot: Spot) -> u64 {
        self.pieces.place(spot).map_or(0, |place| until_ns(place, file.header))
    }
}

/// A page's places but the first, from one on that depends on the key: so it is found at once.
fn page_order(key: Key) -> impl Iterator<Item = usize> {
    let first = 1 + (key.own as u64 % (PAGE_PLACES as u64 - 1)) as usize;
    (first..PAGE_PLACES).chain(1..first)
}
