//! The file `off`, the mark that makes every trigger answer "go on"; `p4warden/home/off_mark.py`
//! describes it.
//!
//! All its information is in the file's status, so one system call is enough.

use rustix::fs::{Mode, Stat};

const NS: i128 = 1_000_000_000;

/// The mark that switches p4warden off, as read from the status of the file `off`.
#[derive(Clone, Copy, Debug)]
pub struct OffMark {
    /// Whether the mark has an expiry, stored as the owner's execute bit.
    pub has_end: bool,
    /// Whether the file is empty; a non-empty file means that p4warden was uninstalled.
    pub is_empty: bool,
    /// Time of the file's last status change, in nanoseconds since the Unix epoch.
    pub made_ns: i128,
    /// Modification time of the file in nanoseconds since the Unix epoch: the expiry.
    pub end_ns: i128,
}

impl OffMark {
    /// Creates the mark from the status of the file `off`: its mode, size and times.
    #[must_use]
    pub fn of(status: &Stat) -> Self {
        OffMark {
            has_end: Self::has_end(status.st_mode),
            is_empty: status.st_size == 0,
            made_ns: i128::from(status.st_ctime) * NS + i128::from(status.st_ctime_nsec),
            end_ns: i128::from(status.st_mtime) * NS + i128::from(status.st_mtime_nsec),
        }
    }

    /// Whether a file mode means that the mark has an expiry.
    #[must_use]
    pub fn has_end(mode: u32) -> bool {
        mode & Mode::XUSR.bits() != 0
    }

    /// Whether the mark is in effect; the clock is read only if the mark has an expiry.
    #[must_use]
    pub fn is_in_effect(&self, wall_ns: impl FnOnce() -> u64) -> bool {
        if !self.has_end {
            return true;
        }
        let now_ns = i128::from(wall_ns());
        let length_ns = self.end_ns - self.made_ns;
        self.made_ns - length_ns < now_ns && now_ns < self.end_ns
    }
}
