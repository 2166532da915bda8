//! One form or submit event: judged by the Python worker, answered by this process whatever
//! happens to it.
//!
//! p4d waits for a trigger without end, takes its death by a signal for success and collects its
//! output without a bound (support/runcmd.cc in the Perforce C++ API). So the worker gets a
//! deadline and a bound, and its process group ends with it.

use crate::answer::Answer;
use crate::arguments::{Arguments, without};
use crate::clock::Clock;
use crate::declared::Declared;
use crate::fault::Fault;
use crate::running::Running;
use crate::text::{cut, seconds};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::ffi::OsString;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

/// What a refusal may be long; what is over it is cut off.
const MAX_REFUSAL_BYTES: usize = 2 * 1024;
/// A worker that writes more than any refusal has gone wrong.
const MAX_OUTPUT_BYTES: usize = 64 * 1024;

/// Lets the worker judge, and returns its answer or the declared one.
pub fn run(
    words: &[OsString],
    given: &Arguments<'_>,
    declared: &mut Declared,
    clock: &impl Clock,
) -> Answer {
    if declared.home.is_off() {
        return Answer::GoOn;
    }
    match judge(words, declared, clock) {
        Ok(answer) => answer,
        Err(fault) => declared.fail(given, &fault, clock),
    }
}

fn judge(words: &[OsString], declared: &mut Declared, clock: &impl Clock) -> Result<Answer, Fault> {
    let running = Running::open(&declared.home)?;
    let front = running.front()?;
    declared.learn(&front);
    let launcher = front.worker.ok_or_else(|| Fault::new("the policy names no worker"))?;
    let mut worker = Worker::start(launcher, words)?;
    let watched = worker.watch(front.deadline_ns, clock);
    let status = worker.end()?;
    watched?;
    verdict(status, worker.text.bytes, &worker.complaint.bytes)
}

/// A worker that runs, and what it has written so far.
struct Worker {
    child: Child,
    group: Pid,
    ended: OwnedFd,
    text: Stream,
    /// Where Python writes the traceback of a defect, which must not pass for a refusal.
    complaint: Stream,
}

impl Worker {
    fn start(launcher: &str, words: &[OsString]) -> Result<Self, Fault> {
        let python = python()?;
        let failed = |error| Fault::of_file(&python, &error);
        let (text, text_end) = Stream::new().map_err(failed)?;
        let (complaint, complaint_end) = Stream::new().map_err(failed)?;
        let mut child = Command::new(&python)
            .args(["-I", "-S", launcher])
            .args(without(words, b"--triggers-io="))
            .process_group(0)
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
    fn watch(&mut self, deadline_ns: u64, clock: &impl Clock) -> Result<(), Fault> {
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

    fn end(&mut self) -> Result<ExitStatus, Fault> {
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
struct Stream {
    /// None once no one can write to it any more.
    pipe: Option<PipeReader>,
    bytes: Vec<u8>,
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

/// What the worker's end means. The exit code alone says "go on"; a refusal has a text as well.
fn verdict(status: ExitStatus, text: Vec<u8>, complaint: &[u8]) -> Result<Answer, Fault> {
    let what = match (status.code(), status.signal()) {
        (Some(0), _) => return Ok(Answer::GoOn),
        (Some(1), _) if !text.trim_ascii().is_empty() => return refusal(text),
        (Some(1), _) => "refused without a text".to_owned(),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    };
    let last = complaint.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let last = if last.is_empty() { String::new() } else { format!(": {}", cut(last)) };
    Err(Fault::new(format!("the worker {what}{last}")))
}

fn refusal(text: Vec<u8>) -> Result<Answer, Fault> {
    let text = String::from_utf8(text);
    let mut text = text.map_err(|_| Fault::new("the worker's refusal is no UTF-8"))?;
    if text.len() > MAX_REFUSAL_BYTES {
        let end = (0..=MAX_REFUSAL_BYTES).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push('\n');
    }
    Ok(Answer::Refuse(text))
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
