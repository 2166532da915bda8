//! The Python worker as a process: started, watched and ended.

use crate::arguments::without;
use crate::clock::Clock;
use crate::fault::Fault;
use crate::text::seconds;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::ffi::OsString;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A worker that writes more than any refusal has gone wrong.
const MAX_OUTPUT_BYTES: usize = 64 * 1024;

/// A worker that runs, and what it has written so far.
pub struct Worker {
    child: Child,
    group: Pid,
    ended: OwnedFd,
    /// Where it writes the text of a refusal.
    pub text: Stream,
    /// Where Python writes the traceback of a defect, which must not pass for a refusal.
    pub complaint: Stream,
}

impl Worker {
    /// Starts it with the words that this program got.
    pub fn start(launcher: &str, words: &[OsString]) -> Result<Self, Fault> {
        let python = python()?;
        let failed = |error| Fault::of_file(&python, &error);
        let (text, text_end) = Stream::new().map_err(failed)?;
        let (complaint, complaint_end) = Stream::new().map_err(failed)?;
        let mut child = Command::new(&python)
            .args(["-I", "-S", launcher])
            .args(without(words, b"--triggers-io="))
            .process_group(0)
            // Then the launcher lets its own failure be seen, and this process answers.
            .env("P4WARDEN_SUPERVISED", "1")
            .stdin(Stdio::null())
            .stdout(text_end)
            .stderr(complaint_end)
            .spawn()
            .map_err(failed)?;
        let group = Pid::from_child(&child);
        match pidfd_open(group, PidfdFlags::empty()) {
            Ok(ended) => Ok(Worker { child, group, ended, text, complaint }),
            Err(error) => {
                end(&mut child, group).map_err(failed)?;
                Err(failed(error.into()))
            }
        }
    }

    /// Reads what it writes until it ends. Not until the pipes do: a process that the worker left
    /// behind may hold them open.
    pub fn watch(&mut self, deadline_ns: u64, clock: &impl Clock) -> Result<(), Fault> {
        let end_ns = clock.since_boot_ns().saturating_add(deadline_ns);
        loop {
            let left_ns = end_ns.saturating_sub(clock.since_boot_ns());
            if left_ns == 0 {
                let seconds = seconds(deadline_ns);
                return Err(Fault::new(format!("the worker took over {seconds} s")));
            }
            let ended = self.wait(left_ns)?;
            self.text.read()?;
            self.complaint.read()?;
            if ended {
                return Ok(());
            }
        }
    }

    /// Waits for output or the end; says whether it is the end.
    fn wait(&self, left_ns: u64) -> Result<bool, Fault> {
        let pipes = [&self.text, &self.complaint].into_iter().filter_map(|it| it.pipe.as_ref());
        let watched = std::iter::once(self.ended.as_fd()).chain(pipes.map(AsFd::as_fd));
        let mut watched: Vec<_> =
            watched.map(|it| PollFd::from_borrowed_fd(it, PollFlags::IN)).collect();
        match poll(&mut watched, Some(&timespec(left_ns))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Fault::new(format!("cannot wait for the worker: {error}"))),
        }
        Ok(watched.first().is_some_and(|ended| !ended.revents().is_empty()))
    }

    /// Ends it, and all that it started and that stayed in its group.
    pub fn end(&mut self) -> Result<ExitStatus, Fault> {
        let status = end(&mut self.child, self.group);
        status.map_err(|error| Fault::new(format!("cannot wait for the worker: {error}")))
    }
}

/// Ends a process and those it started; before it is waited for, as then its number, which is
/// theirs too, may be another's.
fn end(child: &mut Child, group: Pid) -> Result<ExitStatus, std::io::Error> {
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()
}

/// One of the worker's outputs.
pub struct Stream {
    /// None once no one can write to it any more.
    pipe: Option<PipeReader>,
    /// What was read.
    pub bytes: Vec<u8>,
}

impl Stream {
    fn new() -> Result<(Self, PipeWriter), std::io::Error> {
        let (pipe, end) = std::io::pipe()?;
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok((Stream { pipe: Some(pipe), bytes: Vec::new() }, end))
    }

    /// Reads what is there.
    fn read(&mut self) -> Result<(), Fault> {
        let mut chunk = [0; 4096];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(read) => self.bytes.extend_from_slice(chunk.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::new(format!("the worker's output: {error}"))),
            }
            if self.bytes.len() > MAX_OUTPUT_BYTES {
                return Err(Fault::new(format!("the worker wrote over {MAX_OUTPUT_BYTES} bytes")));
            }
        }
        Ok(())
    }
}

/// The Python beside this program: never one from `PATH`, which p4d's environment chooses.
fn python() -> Result<PathBuf, Fault> {
    let own = std::env::current_exe();
    let own = own.map_err(|error| Fault::new(format!("cannot tell where it is: {error}")))?;
    Ok(own.with_file_name("python3"))
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(ns % 1_000_000_000).unwrap_or(0),
    }
}
