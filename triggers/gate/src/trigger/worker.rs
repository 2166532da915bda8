//! The Python worker that judges a form or submit, as a process: starting, watching and ending it.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::text::seconds;
use crate::trigger::worker_output::Output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

/// Maximum number of bytes in the worker's refusal text, and likewise in its error output; a worker
/// that writes more to either is faulty.
const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// Maximum length in bytes of the worker's record for the decision log; a longer record is
/// discarded.
const MAX_RECORD_BYTES: usize = 512 * 1024;

/// Name of the environment variable that makes the worker's launcher end with an error when it
/// fails, because the gate then replies to p4d with the declared verdict.
pub const SUPERVISED: &str = "P4WARDEN_SUPERVISED";
/// Name of the environment variable with the file descriptor of the pipe for the worker's record.
pub const RECORD: &str = "P4WARDEN_RECORD";
/// Name of the environment variable with the file descriptor of the socket for the worker's
/// questions.
pub const INDEX: &str = "P4WARDEN_INDEX";

/// A running Python worker, with its output read so far.
pub struct Worker {
    child: Child,
    group: Pid,
    exit_fd: OwnedFd,
    /// The pipe to which the worker writes the text of a refusal.
    pub text: Output,
    /// The pipe to which Python writes the traceback of a defect, which must not be taken for a
    /// refusal.
    pub complaint: Output,
    /// The pipe to which the worker writes its record for the decision log; the gate counts the
    /// decision and, if a log line is due, logs it.
    pub record: Output,
    /// The socket through which the worker asks about the index (`index_questions`); None once its
    /// first question has come, or the worker has closed it.
    questions: Option<UnixStream>,
}

impl Worker {
    /// Starts the Python beside this program as a worker, with `launcher` as its script and the
    /// arguments `words` that p4d passed to this program. Fails if Python cannot be started.
    pub fn start(launcher: impl AsRef<OsStr>, words: &[OsString]) -> Result<Self, Fault> {
        // A Python on `PATH` is never used, because p4d's environment determines `PATH`.
        let python = path_beside_program("python3")?;
        let fault = |error| Fault::of_file(&python, &error);
        let (text, text_end) = Output::new(MAX_OUTPUT_BYTES).map_err(fault)?;
        let (complaint, complaint_end) = Output::new(MAX_OUTPUT_BYTES).map_err(fault)?;
        let (record, record_end) = Output::new(MAX_RECORD_BYTES).map_err(fault)?;
        let (questions, questions_end) = UnixStream::pair().map_err(fault)?;
        for end in [record_end.as_fd(), questions_end.as_fd()] {
            fcntl_setfd(end, FdFlags::empty()).map_err(|error| fault(error.into()))?;
        }
        let mut child = Command::new(&python)
            .args(["-I", "-S"])
            .arg(launcher)
            .args(words)
            .process_group(0)
            .env(SUPERVISED, "1")
            .env(RECORD, record_end.as_raw_fd().to_string())
            .env(INDEX, questions_end.as_raw_fd().to_string())
            .stdin(if needs_standard_input(words) { Stdio::inherit() } else { Stdio::null() })
            .stdout(text_end)
            .stderr(complaint_end)
            .spawn()
            .map_err(fault)?;
        let group = Pid::from_child(&child);
        match pidfd_open(group, PidfdFlags::empty()) {
            Ok(exit_fd) => {
                let questions = Some(questions);
                Ok(Worker { child, group, exit_fd, text, complaint, record, questions })
            }
            Err(error) => {
                end(&mut child, group).map_err(fault)?;
                Err(fault(error.into()))
            }
        }
    }

    /// Reads the worker's output until the worker ends; a fault if the deadline passes before or
    /// the output is too long. When the worker asks a question, its socket is passed to `answer`.
    /// The end of the pipes is not awaited, because a process left behind by the worker may keep
    /// them open.
    pub fn watch(
        &mut self,
        deadline_ns: u64,
        clock: &impl Clock,
        answer: impl Fn(UnixStream),
    ) -> Result<(), Fault> {
        let end_ns = clock.since_boot_ns().saturating_add(deadline_ns);
        loop {
            let left_ns = end_ns.saturating_sub(clock.since_boot_ns());
            if left_ns == 0 {
                let seconds = seconds(deadline_ns);
                return Err(Fault::new(format!("the worker took over {seconds} s")));
            }
            let (has_ended, questions) = self.wait(left_ns)?;
            questions.map(&answer);
            self.text.read()?;
            self.complaint.read()?;
            self.record.read_if_sound();
            if has_ended {
                return Ok(());
            }
        }
    }

    /// Waits, at most `left_ns`, until the worker writes output, asks a question or ends; returns
    /// whether the worker has ended, and the socket of the worker's questions if the first one has
    /// come.
    fn wait(&mut self, left_ns: u64) -> Result<(bool, Option<UnixStream>), Fault> {
        let outputs = [&self.text, &self.complaint, &self.record];
        let pipes = outputs.into_iter().filter_map(|output| output.pipe.as_ref());
        let questions = self.questions.iter().map(AsFd::as_fd);
        let own = std::iter::once(self.exit_fd.as_fd()).chain(questions);
        let watched = own.chain(pipes.map(AsFd::as_fd));
        let mut watched: Vec<_> =
            watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        match poll(&mut watched, Some(&timespec(left_ns))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Fault::new(format!("cannot wait for the worker: {error}"))),
        }
        let of_questions = self.questions.as_ref().and(watched.get(1)).map(PollFd::revents);
        let has_ended = watched.first().is_some_and(|fd| !fd.revents().is_empty());
        let changes = of_questions.filter(|changes| !changes.is_empty());
        let questions = changes.and_then(|_| self.questions.take());
        // A worker that has closed its end of the socket reads no answer, so none is sent.
        let is_closed = changes.is_some_and(|changes| changes.contains(PollFlags::HUP));
        Ok((has_ended, questions.filter(|_| !is_closed)))
    }

    /// Ends the worker and all its descendants that stayed in its process group; returns the
    /// worker's exit status.
    pub fn end(&mut self) -> Result<ExitStatus, Fault> {
        let status = end(&mut self.child, self.group);
        status.map_err(|error| Fault::new(format!("cannot wait for the worker: {error}")))
    }
}

/// Whether the worker needs standard input, to compare the trigger line with the dictionary that
/// the server writes there.
fn needs_standard_input(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--triggers-io=1")
}

/// Kills a process group, then waits for its leader, because after the wait the group's number may
/// belong to another process.
fn end(child: &mut Child, group: Pid) -> Result<ExitStatus, std::io::Error> {
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()
}

/// Resolves a path relative to this program's folder, so that each of several installed versions
/// starts its own Python and worker under the same policy.
pub fn path_beside_program(path: &str) -> Result<PathBuf, Fault> {
    let own = std::env::current_exe();
    let own =
        own.map_err(|error| Fault::new(format!("cannot determine the gate's own path: {error}")))?;
    Ok(own.with_file_name(path))
}

fn timespec(ns: u64) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(ns % 1_000_000_000).unwrap_or(0),
    }
}
