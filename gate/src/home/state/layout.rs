//! Layout of the state file.

use super::waiting_rooms::SHADOWS;
use crate::rules::keys::Key;

/// The record of a key: the key, then the time, the epoch and a check.
pub(super) type Place = [[u8; 16]; 2];
pub(super) const PLACE_BYTES: usize = size_of::<Place>();

const PAGE_BYTES: u64 = 4096;
pub(super) const PAGE_PLACES: usize = PAGE_BYTES as usize / PLACE_BYTES;
pub(super) const GROUP_PLACES: usize = 16;
/// A group never crosses a page.
const GROUP_BYTES: u64 = (PLACE_BYTES * GROUP_PLACES) as u64;

/// How much of what the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pages of 16 notes.
    pub notes: u32,
    /// Pages of 127 rates, and a first place.
    pub pages: u32,
    /// Groups of 16 rates.
    pub groups: u32,
}

impl Default for Layout {
    /// 4,096 notes, and room for 130,000 rates near and as many far, so that 60,000 at once find
    /// their places whosever they are: 9 MiB, sparse.
    fn default() -> Self {
        Layout { notes: 256, pages: 1_024, groups: 8_192 }
    }
}

impl Layout {
    /// The file's length.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.groups_start() + u64::from(self.groups) * GROUP_BYTES
    }

    /// Where the page of a waiting room is, behind the header's.
    pub(super) fn room(number: u64) -> u64 {
        (1 + number) * PAGE_BYTES
    }

    pub(super) fn notes_start() -> u64 {
        Self::room(1 + SHADOWS)
    }

    fn pages_start(&self) -> u64 {
        Self::notes_start() + u64::from(self.notes) * PAGE_BYTES
    }

    fn groups_start(&self) -> u64 {
        self.pages_start() + u64::from(self.pages) * PAGE_BYTES
    }

    /// Where a page is that is near to a key.
    pub(super) fn page_of(&self, key: Key, passed: u64) -> u64 {
        let number = key.shared.wrapping_add(passed) % u64::from(self.pages.max(1));
        self.pages_start() + number * PAGE_BYTES
    }

    /// Where the two groups are that are a key's own.
    pub(super) fn groups_of(&self, key: Key) -> [u64; 2] {
        let groups = u64::from(self.groups.max(1));
        [key.own as u64, (key.own >> 64) as u64]
            .map(|number| self.groups_start() + number % groups * GROUP_BYTES)
    }
}
