//! p4warden's home folder, and the checks that protect its files against manipulation.
//!
//! A file is read or written only if it is a regular file, no symbolic link, owned by this account
//! or root, and not writable by others: anyone who can write the policy can exempt anyone from it.
//! Files are read with `pread` and never mapped, because a mapped file that another process
//! truncates would end this process with a signal, which p4d treats as "allow"
//! (`RunCommand::WaitChild`, support/runcmd.cc in the Perforce C++ API, examines only the exit
//! status).

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::off_mark::OffMark;
use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, ResolveFlags, Stat, StatxAttributes, StatxFlags,
    Uid, openat2, statx,
};
use rustix::io::Errno;
use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The same limit as in `home/trusted_files.py`.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// More than the state file and the log take for one decision.
const ROOM_BYTES: u64 = 64 << 10;
/// If the trigger line names none.
pub const DEFAULT: &str = "/var/lib/p4warden";
pub const POLICY: &str = "policy.json";
pub const FACTS: &str = "facts.json";
/// The server and the account with which `p4warden refresh` ran last.
pub const ACCOUNT: &str = "server.json";
/// The findings that specs had at the last census that wrote it.
pub const BASELINE: &str = "baseline.json";
/// Acts that administrators allow single users for a while.
pub const ALLOWANCES: &str = "allowances.json";
pub const INDEX: &str = "checkpoint.index";
/// Notes of recently saved client and stream forms.
pub const SAVED: &str = "saved_forms";
/// Depots and first-level directories that were allowed recently.
pub const ADMITTED: &str = "admitted.json";
/// Empty; its locks are the turns of events that ask the server or admit something.
pub const TURNS: &str = "turns";
pub const DECISIONS: &str = "decisions.jsonl";
/// Request rates, counters and the decisions not yet in the decision log.
pub const STATE: &str = "state";
/// The client of a deploy's trial run and the end time of the trial.
pub const TRIAL: &str = "trial";
/// Perforce users whose connections still use trigger lines of an earlier deploy.
pub const OLD_LINES: &str = "old_lines.jsonl";
/// Identifies the present set of p4warden's lines; each of these lines contains it.
pub const LINES_DIGEST: &str = "lines_digest";
/// While it exists, every trigger allows its event, until its expiry if it has one. It counts only
/// if this account or root owns it.
pub const OFF: &str = "off";

#[derive(Clone, Debug)]
pub struct Home {
    folder: PathBuf,
    /// Set once a check through this handle has shown that only this account or root can create
    /// files in the home folder.
    trust: OnceLock<()>,
}

impl Home {
    pub fn at(path: &Path) -> Self {
        Home { folder: path.to_path_buf(), trust: OnceLock::new() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder is on a disk of this machine; asked without waiting for any file system.
    /// True also on a kernel that cannot tell.
    pub fn is_at_hand(&self) -> bool {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match openat2(CWD, &self.folder, flags, Mode::empty(), ResolveFlags::CACHED) {
            Ok(folder) => {
                let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
                let status = statx(folder, c"", flags, StatxFlags::BASIC_STATS);
                // Network file systems have no device, and know of no immutable files.
                status.is_ok_and(|status| {
                    let known = status.stx_attributes_mask.contains(StatxAttributes::IMMUTABLE);
                    status.stx_dev_major != 0 || known
                })
            }
            Err(error) => error != Errno::AGAIN,
        }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// None also if neither this account nor root owns it.
    pub fn off_mark(&self) -> Option<OffMark> {
        let status = rustix::fs::lstat(self.file(OFF)).ok()?;
        has_trusted_owner(&status).then(|| OffMark::of(&status))
    }

    pub fn is_off(&self, clock: &impl Clock) -> bool {
        self.off_mark().is_some_and(|mark| mark.is_in_effect(|| clock.wall_ns()))
    }

    pub fn is_uninstalled(&self) -> bool {
        self.off_mark().is_some_and(|mark| !mark.is_empty)
    }

    /// A fault also if another account than this one and root could have written it.
    pub fn open(&self, name: &str) -> Result<TrustedFile, Fault> {
        self.check_trust()?;
        TrustedFile::new(self.file(name), OFlags::RDONLY)
    }

    /// None only if it is missing; otherwise a fault as in `open`.
    pub fn open_unless_missing(&self, name: &str) -> Result<Option<TrustedFile>, Fault> {
        self.check_trust()?;
        let path = self.file(name);
        match open(&path, OFlags::RDONLY) {
            Err(Errno::NOENT) => Ok(None),
            opened => TrustedFile::of(opened, path).map(Some),
        }
    }

    /// That only this account or root can create files in the home folder.
    fn check_trust(&self) -> Result<(), Fault> {
        if self.trust.get().is_some() {
            return Ok(());
        }
        let fault = |problem: &dyn Display| Fault::of_file(&self.folder, problem);
        let folder = rustix::fs::stat(&self.folder).map_err(|error| fault(&error))?;
        if let Some(problem) = foreign_access(&folder) {
            return Err(fault(&problem));
        }
        self.trust.get_or_init(|| ());
        Ok(())
    }

    pub fn open_or_make(&self, name: &str) -> Result<TrustedFile, Fault> {
        self.give_to_owner(TrustedFile::new(self.file(name), OFlags::RDWR | OFlags::CREATE)?)
    }

    pub fn open_to_append(&self, name: &str) -> Result<TrustedFile, Fault> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::APPEND;
        self.give_to_owner(TrustedFile::new(self.file(name), flags)?)
    }

    /// Readers find the old content or the new one, whole.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), Fault> {
        // p4warden's next command removes the file if this process is killed here.
        let new = format!("{name}.p4warden-{}.new", std::process::id());
        let _ = std::fs::remove_file(self.file(&new));
        let open_file = self.open_or_make(&new)?;
        let written = open_file.allow_length(content.len() as u64);
        let written = written.and_then(|()| open_file.write(content, 0));
        let replaced = written.and_then(|()| {
            let renamed = std::fs::rename(self.file(&new), self.file(name));
            renamed.map_err(|error| open_file.fault(&error))
        });
        if replaced.is_err() {
            let _ = std::fs::remove_file(self.file(&new));
        }
        replaced
    }

    /// A fault of the file if its folder takes no more data, because the disk is full, for example.
    pub fn check_room(&self, name: &str) -> Result<(), Fault> {
        // p4warden's next command removes the file if this process is killed here.
        let path = self.file(&format!("{name}.p4warden-{}.new", std::process::id()));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let probe = TrustedFile::of(open(&path, flags), self.file(name))?;
        let allowed = probe.allow_length(ROOM_BYTES);
        let outcome = allowed.and_then(|()| probe.write(&[0; ROOM_BYTES as usize], 0));
        let _ = std::fs::remove_file(path);
        outcome
    }

    /// Triggers of the folder's owner must be able to write a file that root created.
    fn give_to_owner(&self, open_file: TrustedFile) -> Result<TrustedFile, Fault> {
        if open_file.bytes == 0 && rustix::process::geteuid().is_root() {
            let folder = rustix::fs::stat(&self.folder).map_err(|error| open_file.fault(&error))?;
            let (user, group) = (Uid::from_raw(folder.st_uid), Gid::from_raw(folder.st_gid));
            let outcome = rustix::fs::fchown(&open_file.file, Some(user), Some(group));
            outcome.map_err(|error| open_file.fault(&error))?;
        }
        Ok(open_file)
    }
}

/// Has passed the trust checks.
#[derive(Debug)]
pub struct TrustedFile {
    pub file: File,
    /// At the last `check_trust`.
    pub bytes: u64,
    path: PathBuf,
}

impl TrustedFile {
    fn new(path: PathBuf, flags: OFlags) -> Result<Self, Fault> {
        TrustedFile::of(open(&path, flags), path)
    }

    fn of(opened: Result<File, Errno>, path: PathBuf) -> Result<Self, Fault> {
        let file = opened.map_err(|error| match error {
            Errno::LOOP => Fault::of_file(&path, &"is a symbolic link"),
            error => Fault::of_file(&path, &error),
        })?;
        let mut open_file = TrustedFile { file, bytes: 0, path };
        open_file.check_trust()?;
        Ok(open_file)
    }

    /// Updates `bytes`; returns whether the file still exists, under any name.
    pub fn check_trust(&mut self) -> Result<bool, Fault> {
        let status = rustix::fs::fstat(&self.file).map_err(|error| self.fault(&error))?;
        if let Some(problem) = distrust(&status) {
            return Err(self.fault(&problem));
        }
        self.bytes = u64::try_from(status.st_size).unwrap_or(0);
        Ok(status.st_nlink > 0)
    }

    /// A fault if the file ends before `buffer` is full.
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        self.file.read_exact_at(buffer, offset).map_err(|error| self.fault(&error))
    }

    /// A fault also if the file ends before.
    pub fn part(&self, offset: u64, length: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.read(&mut bytes, offset)?;
        Ok(bytes)
    }

    /// A fault if the file is longer than `MAX_FILE_BYTES`.
    pub fn content(&self) -> Result<Vec<u8>, Fault> {
        if self.bytes > MAX_FILE_BYTES {
            return Err(self.fault(&format!("is larger than {MAX_FILE_BYTES} bytes")));
        }
        self.part(0, self.bytes)
    }

    pub fn write(&self, bytes: &[u8], offset: u64) -> Result<(), Fault> {
        self.file.write_all_at(bytes, offset).map_err(|error| self.fault(&error))
    }

    /// Appends a line with a single write, below what a full disk left of another.
    pub fn append(&self, line: &str) -> Result<(), Fault> {
        self.allow_length(self.bytes.saturating_add(line.len() as u64))?;
        let last = self.bytes.checked_sub(1).and_then(|at| self.part(at, 1).ok());
        let is_cut = last.is_some_and(|last| last != b"\n");
        let line = if is_cut { format!("\n{line}").into() } else { Cow::Borrowed(line) };
        match (&self.file).write(line.as_bytes()) {
            Ok(written_bytes) if written_bytes == line.len() => Ok(()),
            Ok(_) => Err(self.fault(&"the disk is full")),
            Err(error) => Err(self.fault(&error)),
        }
    }

    pub fn fault(&self, error: &dyn Display) -> Fault {
        Fault::of_file(&self.path, error)
    }

    /// Beyond the process's file size limit the kernel would end the process with `SIGXFSZ`.
    pub fn allow_length(&self, bytes: u64) -> Result<(), Fault> {
        match rustix::process::getrlimit(rustix::process::Resource::Fsize).current {
            Some(most) if bytes > most => Err(self.fault(&format!(
                "the file size limit of this process is {most} bytes; raise it for p4d (ulimit -f)"
            ))),
            _ => Ok(()),
        }
    }
}

fn open(path: &Path, flags: OFlags) -> Result<File, Errno> {
    let safely = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(path, flags | safely, Mode::RUSR | Mode::WUSR).map(File::from)
}

fn distrust(status: &Stat) -> Option<String> {
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Some("is not a regular file".to_owned());
    }
    foreign_access(status)
}

/// None if they could not have written it.
fn foreign_access(status: &Stat) -> Option<String> {
    if !has_trusted_owner(status) {
        return Some(format!(
            "is owned by account {}, neither p4warden's account nor root",
            status.st_uid
        ));
    }
    is_writable_by_others(status).then(|| "others have write access to it".to_owned())
}

/// Takes no memory.
pub fn is_trusted(status: &Stat) -> bool {
    let is_regular = FileType::from_raw_mode(status.st_mode) == FileType::RegularFile;
    is_regular && has_trusted_owner(status) && !is_writable_by_others(status)
}

fn is_writable_by_others(status: &Stat) -> bool {
    status.st_mode & (Mode::WGRP | Mode::WOTH).bits() != 0
}

fn has_trusted_owner(status: &Stat) -> bool {
    status.st_uid == 0 || status.st_uid == rustix::process::geteuid().as_raw()
}
