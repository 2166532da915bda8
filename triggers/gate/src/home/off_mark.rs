//! The file `off` in the home folder, which makes triggers allow every event until its expiry, if
//! it has one; `p4warden/home/off_mark.py` describes it.
//!
//! The file's status contains all that a trigger needs, so one system call is enough.

use rustix::fs::{Mode, Stat};

const NS: i128 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
pub struct OffMark {
    /// Stated by the owner's execute permission on the file.
    pub has_end: bool,
    /// A file that is not empty means that p4warden was uninstalled.
    pub is_empty: bool,
    /// Last status change, since the Unix epoch.
    pub made_ns: i128,
    /// Modification time, since the Unix epoch: the expiry, if it has one.
    pub end_ns: i128,
}

impl OffMark {
    pub fn of(status: &Stat) -> Self {
        OffMark {
            has_end: Self::has_end(status.st_mode),
            is_empty: status.st_size == 0,
            made_ns: i128::from(status.st_ctime) * NS + i128::from(status.st_ctime_nsec),
            end_ns: i128::from(status.st_mtime) * NS + i128::from(status.st_mtime_nsec),
        }
    }

    pub fn has_end(mode: u32) -> bool {
        mode & Mode::XUSR.bits() != 0
    }

    /// A switch-off with an expiry has no effect while its start lies in the future by its own
    /// duration or more, because the clock was then set back.
    pub fn is_in_effect(&self, wall_ns: impl FnOnce() -> u64) -> bool {
        if !self.has_end {
            return true;
        }
        let now_ns = i128::from(wall_ns());
        let length_ns = self.end_ns - self.made_ns;
        self.made_ns - length_ns < now_ns && now_ns < self.end_ns
    }
}
