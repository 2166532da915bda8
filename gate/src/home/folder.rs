//! The home folder: files are read and written only if no one else could have made them.
//!
//! A file counts as unreadable unless it is a regular file, no link, owned by this account or root
//! and not writable by others: whoever could write the policy could let anyone pass it. Files are
//! read with `pread`, never mapped: a mapped file that another process cuts short ends this one
//! with a signal, which p4d takes for "go on" (`RunCommand::WaitChild`, support/runcmd.cc in the
//! Perforce C++ API, looks at the exit status only).

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::off_mark::OffMark;
use rustix::fs::{FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Where the files are if the trigger line does not say.
pub const DEFAULT: &str = "/var/lib/p4warden";
/// The policy in the form the gate reads.
pub const POLICY: &str = "gate.policy";
/// The index of the server's checkpoint.
pub const INDEX: &str = "checkpoint.index";
/// Changes that journals made since.
pub const DELTA: &str = "checkpoint.index.delta";
/// Notes of clients and streams that were saved lately.
pub const SAVED: &str = "saved_forms";
/// The log of decisions.
pub const DECISIONS: &str = "decisions.jsonl";
/// The rates, the counters and the decisions not yet in the log.
pub const STATE: &str = "state";
/// The client that a deploy tries its triggers out with, and the end of the trial.
pub const TRIAL: &str = "trial";
/// Which accounts still call trigger lines of before.
pub const OLD_LINES: &str = "old_lines.jsonl";
/// While it is there, every trigger answers "go on".
pub const OFF: &str = "off";

/// The home folder of this installation.
#[derive(Clone, Debug)]
pub struct Home(PathBuf);

impl Home {
    /// The folder at a path.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Home(path.to_path_buf())
    }

    /// The path of one of its files.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The mark by which every trigger goes on, if this account or root made it.
    #[must_use]
    pub fn off_mark(&self) -> Option<OffMark> {
        let status = rustix::fs::lstat(self.file(OFF)).ok()?;
        is_ours(&status).then(|| OffMark::of(&status))
    }

    /// Whether an administrator has turned p4warden off, and that holds still.
    #[must_use]
    pub fn is_off(&self, clock: &impl Clock) -> bool {
        self.off_mark().is_some_and(|mark| mark.holds(|| clock.wall_ns()))
    }

    /// Whether it is off because p4warden was uninstalled.
    #[must_use]
    pub fn is_uninstalled(&self) -> bool {
        self.off_mark().is_some_and(|mark| !mark.is_empty)
    }

    /// Opens a file for reading, if no one else could have put it there.
    pub fn open(&self, name: &str) -> Result<Opened, Fault> {
        let folder = rustix::fs::stat(&self.0);
        let folder = folder.map_err(|error| Fault::of_file(&self.0, &error.into()))?;
        if !is_ours(&folder) || is_writable_by_others(&folder) {
            let place = self.0.display();
            return Err(Fault::new(format!("{place}: others have write access to it, or own it")));
        }
        Opened::new(self.file(name), OFlags::RDONLY)
    }

    /// Opens a file for reading and writing, and makes it if it is missing.
    pub fn open_or_make(&self, name: &str) -> Result<Opened, Fault> {
        self.made(Opened::new(self.file(name), OFlags::RDWR | OFlags::CREATE)?)
    }

    /// Opens a file for adding lines at its end, and makes it if it is missing.
    pub fn open_to_append(&self, name: &str) -> Result<Opened, Fault> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::APPEND;
        self.made(Opened::new(self.file(name), flags)?)
    }

    /// Gives a file that root has just made to the folder's owner, whose triggers are to write it.
    fn made(&self, opened: Opened) -> Result<Opened, Fault> {
        if opened.bytes == 0 && rustix::process::geteuid().is_root() {
            let folder = rustix::fs::stat(&self.0).map_err(|error| opened.fault(&error.into()))?;
            let (user, group) = (Uid::from_raw(folder.st_uid), Gid::from_raw(folder.st_gid));
            let given = rustix::fs::fchown(&opened.file, Some(user), Some(group));
            given.map_err(|error| opened.fault(&error.into()))?;
        }
        Ok(opened)
    }
}

/// A file of the home folder that is to be trusted.
#[derive(Debug)]
pub struct Opened {
    /// The open file.
    pub file: File,
    /// Its length when it was last looked at.
    pub bytes: u64,
    path: PathBuf,
}

impl Opened {
    fn new(path: PathBuf, flags: OFlags) -> Result<Self, Fault> {
        let safely = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::open(&path, flags | safely, Mode::RUSR | Mode::WUSR) {
            Ok(opened) => {
                let mut opened = Opened { file: File::from(opened), bytes: 0, path };
                opened.look()?;
                Ok(opened)
            }
            Err(Errno::LOOP) => Err(Fault::new(format!("{}: is a symbolic link", path.display()))),
            Err(error) => Err(Fault::of_file(&path, &error.into())),
        }
    }

    /// Looks again at what the file is; tells whether it still has a name.
    pub fn look(&mut self) -> Result<bool, Fault> {
        let status = rustix::fs::fstat(&self.file).map_err(|error| self.fault(&error.into()))?;
        if let Some(problem) = distrust(&status) {
            return Err(Fault::new(format!("{}: {problem}", self.path.display())));
        }
        self.bytes = u64::try_from(status.st_size).unwrap_or(0);
        Ok(status.st_nlink > 0)
    }

    /// Reads exactly so many bytes.
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        self.file.read_exact_at(buffer, offset).map_err(|error| self.fault(&error))
    }

    /// Writes all the bytes.
    pub fn write(&self, bytes: &[u8], offset: u64) -> Result<(), Fault> {
        self.file.write_all_at(bytes, offset).map_err(|error| self.fault(&error))
    }

    /// A fault of this file.
    #[must_use]
    pub fn fault(&self, error: &std::io::Error) -> Fault {
        Fault::of_file(&self.path, error)
    }

    /// Refuses a length that the process may not write: the kernel would end it with `SIGXFSZ`.
    pub fn allow_length(&self, bytes: u64) -> Result<(), Fault> {
        match rustix::process::getrlimit(rustix::process::Resource::Fsize).current {
            Some(most) if bytes > most => {
                let path = self.path.display();
                Err(Fault::new(format!("{path}: this process may write {most} bytes only")))
            }
            _ => Ok(()),
        }
    }
}

fn distrust(status: &Stat) -> Option<String> {
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Some("is no regular file".to_owned());
    }
    if !is_ours(status) {
        return Some(format!(
            "is owned by account {}, neither p4warden's account nor root",
            status.st_uid
        ));
    }
    is_writable_by_others(status).then(|| "others have write access to it".to_owned())
}

fn is_ours(status: &Stat) -> bool {
    status.st_uid == 0 || status.st_uid == rustix::process::geteuid().as_raw()
}

fn is_writable_by_others(status: &Stat) -> bool {
    status.st_mode & (Mode::WGRP | Mode::WOTH).bits() != 0
}
