//! The rate table of the state file: one slot per key, holding the time until which earlier
//! requests of the key count against its limit.
//!
//! A key's first page depends on the first part of the request that the limit counts by, usually
//! the user; so a decision usually reads and writes one page, however many limits it involves. When
//! active keys fill that page, further keys go to the next page, and after a few pages to one of
//! two groups of slots chosen by the key's own hash. The first slot of each page or group is its seal:
//! the sum of the others. That of a page also holds the time until which there are keys beyond the
//! page; if it has passed, the search for a key ends there.

use super::header::LockedState;
use super::layout::{GROUP_SLOTS, PAGE_SLOTS, RateSlot};
use super::pieces::{Pieces, Spot};
use super::rate_slot::{is_of, new_slot, until_ns};
use crate::base::fault::Fault;
use crate::contract::keys::Key;

/// Consecutive pages that are searched for a key before its distant groups.
const NEAR: u64 = 4;
/// Added to the time until which a page is marked as having keys beyond it, so that not every further
/// key rewrites the mark.
const MORE_NS: u64 = 1_000_000_000;

/// A slot for a key, with the number of the key's pages before it. When a time is stored in the slot,
/// these pages are marked as having keys beyond them.
struct Location {
    pages_passed: u64,
    spot: Spot,
}

/// With the parts that one decision has read.
#[derive(Debug, Default)]
pub(super) struct Table {
    pieces: Pieces,
}

impl Table {
    /// As in `RateStore`, since the machine started.
    pub fn stored_ns(&mut self, file: LockedState<'_>, key: Key) -> Result<u64, Fault> {
        let location = self.find(file, key)?;
        Ok(location.map_or(0, |location| self.until_ns(file, location.spot)))
    }

    /// `write` stores it. Returns false if other active keys occupy all possible slots.
    pub fn keep(&mut self, file: LockedState<'_>, key: Key, until_ns: u64) -> Result<bool, Fault> {
        let own = self.find(file, key)?;
        let location = if own.is_some() { own } else { self.free(file, key)? };
        let Some(Location { pages_passed, spot }) = location else { return Ok(false) };
        for page in 0..pages_passed {
            let first = (self.page(file, key, page)?, 0);
            if self.until_ns(file, first) < until_ns {
                let search_until_ns = until_ns.saturating_add(MORE_NS);
                self.pieces.put(first, new_slot(0, search_until_ns, file.header));
            }
        }
        self.pieces.put(spot, new_slot(key.own_hash, until_ns, file.header));
        Ok(true)
    }

    pub fn write(&mut self, state: LockedState<'_>) -> Result<(), Fault> {
        self.pieces.write(state)
    }

    /// The slot that holds a key, active or expired.
    fn find(&mut self, file: LockedState<'_>, key: Key) -> Result<Option<Location>, Fault> {
        self.search(
            file,
            key,
            |slot| is_of(slot, key.own_hash),
            |beyond_ns| beyond_ns > file.now_ns,
        )
    }

    /// None if active keys occupy all possible slots.
    fn free(&mut self, file: LockedState<'_>, key: Key) -> Result<Option<Location>, Fault> {
        let is_free = |slot: &RateSlot| until_ns(slot, file.header) <= file.now_ns;
        self.search(file, key, is_free, |_| true)
    }

    /// Searches the pages near a key, then its distant groups. Each page states until when later ones
    /// may contain active keys; the search ends at a page where this time does not satisfy `goes_on`.
    fn search(
        &mut self,
        file: LockedState<'_>,
        key: Key,
        is_match: impl Fn(&RateSlot) -> bool,
        goes_on: impl Fn(u64) -> bool,
    ) -> Result<Option<Location>, Fault> {
        for pages_passed in 0..NEAR {
            let page = self.page(file, key, pages_passed)?;
            if let Some(spot) = self.pieces.first(page, page_order(key), &is_match) {
                return Ok(Some(Location { pages_passed, spot }));
            }
            if !goes_on(self.until_ns(file, (page, 0))) {
                return Ok(None);
            }
        }
        for start in file.header.layout.groups_of(key) {
            let group = self.pieces.load(file, start, GROUP_SLOTS)?;
            if let Some(spot) = self.pieces.first(group, 1..GROUP_SLOTS, &is_match) {
                return Ok(Some(Location { pages_passed: NEAR, spot }));
            }
        }
        Ok(None)
    }

    fn page(&mut self, file: LockedState<'_>, key: Key, pages_passed: u64) -> Result<usize, Fault> {
        let start = file.header.layout.page_of(key, pages_passed);
        self.pieces.load(file, start, PAGE_SLOTS)
    }

    fn until_ns(&self, file: LockedState<'_>, spot: Spot) -> u64 {
        self.pieces.slot(spot).map_or(0, |slot| until_ns(slot, file.header))
    }
}

/// All slots of a page but the reserved first one, beginning where the key usually is.
fn page_order(key: Key) -> impl Iterator<Item = usize> {
    let first = 1 + (key.own_hash as u64 % (PAGE_SLOTS as u64 - 1)) as usize;
    (first..PAGE_SLOTS).chain(1..first)
}
