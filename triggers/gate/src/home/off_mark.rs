//! The file `off` in the home folder, which makes triggers allow every event until its expiry, if
//! it has one; `p4warden/home/off_mark.py` describes it.
//!
//! The file's status contains all that a trigger needs, so one system call is enough.

use rustix::fs::{Mode, Stat};

const NS: i128 = 1_000_000_000;

/// The mark that switches p4warden off, as read from the status of the file `off`.
#[derive(Clone, Copy, Debug)]
pub struct OffMark {
    /// Whether the switch-off by the file `off` expires, which the owner's execute permission on
    /// the file states.
    pub has_end: bool,
    /// Whether the file `off` is empty; a non-empty file means that p4warden was uninstalled.
    pub is_empty: bool,
    /// Time of the last status change of the file `off`, in nanoseconds since the Unix epoch.
    pub made_ns: i128,
    /// Modification time of the file `off`, in nanoseconds since the Unix epoch: the expiry of the
    /// switch-off, if it has one.
    pub end_ns: i128,
}

impl OffMark {
    /// Reads from the status of the file `off` (its mode, size and times) from when and until when
    /// p4warden is switched off, and whether it was uninstalled.
    #[must_use]
    pub fn of(status: &Stat) -> Self {
        OffMark {
            has_end: Self::has_end(status.st_mode),
            is_empty: status.st_size == 0,
            made_ns: i128::from(status.st_ctime) * NS + i128::from(status.st_ctime_nsec),
            end_ns: i128::from(status.st_mtime) * NS + i128::from(status.st_mtime_nsec),
        }
    }

    /// Whether the mode of the file `off` states that the switch-off has an expiry.
    #[must_use]
    pub fn has_end(mode: u32) -> bool {
        mode & Mode::XUSR.bits() != 0
    }

    /// Whether the file `off` switches p4warden off now. `wall_ns` is called only if the file has
    /// an expiry. A switch-off with an expiry has no effect while its start lies in the future by
    /// its own duration or more, because the clock was then set back.
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
