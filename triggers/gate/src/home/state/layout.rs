//! Layout of the state file: sizes and offsets of its parts.

use crate::contract::keys::Key;

/// One slot of the rate table, as in `rate_slot.rs`.
pub(super) type RateSlot = [[u8; 16]; 2];
pub(super) const RATE_SLOT_BYTES: usize = size_of::<RateSlot>();

/// Pages for the requests that rules in observe mode would delay, one for each rule. The requests of a
/// rule that finds no page count as delayed, never as refused for lack of a free slot.
pub(super) const SHADOWS: u64 = 32;

/// Number of rules that can count commands at once, and of the pages that each has for them.
pub(super) const QUEUES: u64 = 16;
pub(super) const QUEUE_PAGES: u64 = 8;

pub(super) const PAGE_BYTES: u64 = 4096;
pub(super) const PAGE_SLOTS: usize = PAGE_BYTES as usize / RATE_SLOT_BYTES;
pub(super) const GROUP_SLOTS: usize = 16;
/// Of slots that are read together. A group never crosses a page boundary.
const GROUP_BYTES: u64 = (RATE_SLOT_BYTES * GROUP_SLOTS) as u64;

/// The numbers of its pages and groups, which determine its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pages of up to 16 entries, each of which counts similar decisions that are not yet logged.
    pub notes: u32,
    /// Pages of up to 127 rates; the first slot of a page is reserved.
    pub pages: u32,
    /// Of up to 15 rates, for keys whose own pages are full; the first slot is reserved.
    pub groups: u32,
}

impl Default for Layout {
    /// A sparse file of about 10 MB: 4,096 log entries, and about 130,000 rates in pages and 120,000 in
    /// groups, so that 60,000 active rates find a slot however they are spread over users.
    fn default() -> Self {
        Layout { notes: 256, pages: 1_024, groups: 8_192 }
    }
}

impl Layout {
    pub fn bytes(&self) -> u64 {
        self.groups_start() + u64::from(self.groups) * GROUP_BYTES
    }

    /// Byte offset of a page for waiting requests; page 0 follows the header's page.
    pub(super) fn pool(number: u64) -> u64 {
        (1 + number) * PAGE_BYTES
    }

    pub(super) fn queue(place: u64, number: u64) -> u64 {
        Self::pool(1 + SHADOWS) + (place * QUEUE_PAGES + number) * PAGE_BYTES
    }

    pub(super) fn notes_start() -> u64 {
        Self::queue(QUEUES, 0)
    }

    fn pages_start(&self) -> u64 {
        Self::notes_start() + u64::from(self.notes) * PAGE_BYTES
    }

    fn groups_start(&self) -> u64 {
        self.pages_start() + u64::from(self.pages) * PAGE_BYTES
    }

    /// Byte offset of the page at a distance, in pages, from a key's first page for rates.
    pub(super) fn page_of(&self, key: Key, distance: u64) -> u64 {
        let number = key.shared_hash.wrapping_add(distance) % u64::from(self.pages.max(1));
        self.pages_start() + number * PAGE_BYTES
    }

    /// Byte offsets of the two groups that may hold a key's rate when the pages near it are full.
    pub(super) fn groups_of(&self, key: Key) -> [u64; 2] {
        let groups = u64::from(self.groups.max(1));
        [key.own_hash as u64, (key.own_hash >> 64) as u64]
            .map(|number| self.groups_start() + number % groups * GROUP_BYTES)
    }
}
