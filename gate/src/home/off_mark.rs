//! The mark by which every trigger answers "go on"; `p4warden/home/off_mark.py` describes it.
//!
//! All that it says is in the file's status, so that one look decides.

use rustix::fs::{Mode, Stat};

const NS: i128 = 1_000_000_000;

/// The meaning of the status of the file `off`.
#[derive(Clone, Copy, Debug)]
pub struct OffMark {
    /// Whether it has the owner's execute bit.
    pub has_end: bool,
    /// Whether the file is empty; else p4warden was uninstalled.
    pub is_empty: bool,
    /// The time of its last status change, in nanoseconds since the epoch.
    pub made_ns: i128,
    /// Its modification time, likewise.
    pub end_ns: i128,
}

impl OffMark {
    /// The mark of a file's status.
    #[must_use]
    pub fn of(status: &Stat) -> Self {
        OffMark {
            has_end: Self::has_end(status.st_mode),
            is_empty: status.st_size == 0,
            made_ns: i128::from(status.st_ctime) * NS + i128::from(status.st_ctime_nsec),
            end_ns: i128::from(status.st_mtime) * NS + i128::from(status.st_mtime_nsec),
        }
    }

    /// Whether a mark of that mode has an end.
    #[must_use]
    pub fn has_end(mode: u32) -> bool {
        mode & Mode::XUSR.bits() != 0
    }

    /// Whether triggers go on; the clock is read only for a mark with an end.
    #[must_use]
    pub fn holds(&self, wall_ns: impl FnOnce() -> u64) -> bool {
        if !self.has_end {
            return true;
        }
        let now_ns = i128::from(wall_ns());
        let length_ns = self.end_ns - self.made_ns;
        self.made_ns - length_ns < now_ns && now_ns < self.end_ns
    }
}
