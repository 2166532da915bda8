//! Facts that only the server has, from the Python program `p4warden.server.answers`, which asks it
//! through P4Python while the server waits for this trigger.
//!
//! The program gets a limit for its processor time, for the time in which it waits for the server, and
//! for its output, and its whole process group ends with it. Waiting for a processor does not count, so
//! that load on the host changes no verdict.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::base::json::ascii_json;
use crate::base::json_text::Text;
use crate::base::processor_time::ProcessorTime;
use crate::base::text::{cut, seconds};
use crate::contract::form_rule::Needs;
use crate::event::form_event::{FormEvent, FormEventKind};
use crate::event::unasked::Unasked;
use crate::home::folder::{ACCOUNT, Home};
use crate::home::turns;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

/// In which the program waits for the server.
const SILENCE_NS: u64 = 3_500_000_000;
/// Of processor time: several times that for as many files with the longest paths.
const WORK_NS: u64 = 20_000_000_000;
/// Until a server at its `server.maxcommands` is asked again.
const FULL_SERVER_PAUSE_NS: u64 = 2_000_000_000;
const ROUND_NS: u64 = 500_000_000;
/// Of the answer, and likewise of the error output.
const MAX_ANSWER_BYTES: usize = 256 << 20;
const MAX_COMPLAINT_BYTES: usize = 64 << 10;
/// Of a submit, to be judged.
const MAX_FILES: u64 = 100_000;
/// Of their paths.
const MAX_PATH_BYTES: u64 = 200 << 20;

pub struct Question<'q> {
    pub needs: Needs,
    /// Its change is None for the default changelist.
    pub event: &'q FormEvent<'q>,
    /// Depots with too many top directories to list all of them.
    pub large_depots: Vec<&'q [u8]>,
}

/// Those that were asked for.
#[derive(Debug, Default)]
pub struct Answers {
    /// The new files of the submit, each with its action.
    pub files: Option<Vec<[Vec<u8>; 2]>>,
    /// Of all files of the submit; one more than asked for if further ones were left out.
    pub listed: u64,
    /// Of those listed, the number of the first ones that `files` is of.
    pub judged: u64,
    /// By depot.
    pub directories: Vec<(Vec<u8>, Directories)>,
    /// Each with its type.
    pub depots: Option<Vec<[Vec<u8>; 2]>>,
    pub has_client: Option<bool>,
}

#[derive(Debug)]
pub struct Directories {
    pub names: Vec<Vec<u8>>,
    /// Or only those of the submit that exist.
    pub are_all: bool,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// Of the server or the program.
    Trouble(String),
    Unasked(Unasked),
}

/// When it is this event's turn, at the latest at `until_ns`; `waits` is called again and again until
/// there is an answer.
pub fn ask(
    home: &Home,
    question: &Question<'_>,
    until_ns: u64,
    clock: &impl Clock,
    waits: &dyn Fn(),
) -> Result<Answers, NoAnswer> {
    let user = question.event.user.unwrap_or_default();
    let _turn = turns::wait(home, user, until_ns, clock, waits).map_err(NoAnswer::Unasked)?;
    loop {
        let answer = ask_once(home, question, until_ns, clock, waits)?;
        if let Some(answers) = read(&answer).map_err(NoAnswer::Trouble)? {
            return Ok(answers);
        }
        if clock.since_boot_ns().saturating_add(FULL_SERVER_PAUSE_NS) >= until_ns {
            return Err(NoAnswer::Unasked(Unasked::TooLate));
        }
        waits();
        thread::sleep(Duration::from_nanos(FULL_SERVER_PAUSE_NS));
    }
}

fn ask_once(
    home: &Home,
    question: &Question<'_>,
    until_ns: u64,
    clock: &impl Clock,
    waits: &dyn Fn(),
) -> Result<Vec<u8>, NoAnswer> {
    let words = ["-m", MODULE, "--home"].map(OsStr::new);
    let words = words.into_iter().chain([home.folder().as_os_str()]);
    let answer = answer_of(words, &request(question), until_ns, clock, waits);
    let answer = answer.map_err(|fault| NoAnswer::Trouble(format!("{FAILED}: {fault}")))?;
    answer.map_err(|overrun| match overrun {
        Overrun::Time => NoAnswer::Unasked(Unasked::TooLate),
        Overrun::Silence => {
            NoAnswer::Trouble(format!("the server did not answer within {} s", seconds(SILENCE_NS)))
        }
        Overrun::Work => NoAnswer::Trouble(format!(
            "{FAILED}: it took over {} s of processor time",
            seconds(WORK_NS)
        )),
    })
}

/// Without one no program is started: a server that follows another may have neither.
pub fn has_account(home: &Home) -> Result<bool, Fault> {
    Ok(home.open_unless_missing(ACCOUNT)?.is_some())
}

/// That the program is installed whole, if the home has an account for it.
pub fn check(home: &Home, clock: &impl Clock) -> Result<(), Fault> {
    if !has_account(home)? {
        return Ok(());
    }
    let import = format!("import {MODULE}");
    let until_ns = clock.since_boot_ns().saturating_add(WORK_NS);
    match answer_of(["-c", &import].map(OsStr::new), "", until_ns, clock, &|| ())? {
        Ok(_) => Ok(()),
        Err(_) => Err(Fault::new(format!("Python took over {} s", seconds(SILENCE_NS)))),
    }
}

/// The limit that a run of Python reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overrun {
    Silence,
    Work,
    Time,
}

/// Of a run of Python that succeeds.
fn answer_of<'w>(
    words: impl IntoIterator<Item = &'w OsStr>,
    request: &str,
    until_ns: u64,
    clock: &impl Clock,
    waits: &dyn Fn(),
) -> Result<Result<Vec<u8>, Overrun>, Fault> {
    let mut program = Program::start(words, request)?;
    let watched = program.watch(until_ns, clock, waits);
    let status = program.end()?;
    match watched? {
        Some(overrun) => Ok(Err(overrun)),
        None if !status.success() => Err(Fault::new(program.complaint(status))),
        None => Ok(Ok(program.answer.bytes)),
    }
}

/// None from a server that runs too many commands to answer.
fn read(text: &[u8]) -> Result<Option<Answers>, String> {
    let document: Document<'_> =
        serde_json::from_slice(text).map_err(|error| format!("{FAILED}: {error}"))?;
    let pair = |(one, other): (Text<'_>, Text<'_>)| [one.to_vec(), other.to_vec()];
    let directories = |(depot, listed): (Text<'_>, Listed<'_>)| {
        let names = listed.names.iter().map(|name| name.to_vec()).collect();
        (depot.to_vec(), Directories { names, are_all: listed.all })
    };
    match document.error {
        Some(_) if document.is_full => Ok(None),
        Some(problem) => Err(problem),
        None => Ok(Some(Answers {
            files: document.files.map(|files| files.into_iter().map(pair).collect()),
            listed: document.listed,
            judged: document.judged,
            directories: document.directories.into_iter().map(directories).collect(),
            depots: document.depots.map(|depots| depots.into_iter().map(pair).collect()),
            has_client: document.has_client,
        })),
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Document<'a> {
    files: Option<Vec<(Text<'a>, Text<'a>)>>,
    #[serde(default)]
    listed: u64,
    #[serde(default)]
    judged: u64,
    #[serde(default)]
    directories: BTreeMap<Text<'a>, Listed<'a>>,
    depots: Option<BTreeMap<Text<'a>, Text<'a>>>,
    has_client: Option<bool>,
    error: Option<String>,
    #[serde(default)]
    is_full: bool,
}

#[derive(Deserialize)]
struct Listed<'a> {
    #[serde(borrow)]
    names: Vec<Text<'a>>,
    all: bool,
}

const MODULE: &str = "p4warden.server.answers";
const FAILED: &str = "the program that asks the server failed";

fn request(question: &Question<'_>) -> String {
    let Needs { depots, files, directories, file_count, client } = question.needs;
    let lists_files = files || directories;
    let most_files = if lists_files { MAX_FILES } else { file_count.saturating_sub(1) };
    let names = [
        ("depots", depots),
        ("directories", directories),
        ("files", files),
        ("count", file_count > 0),
        ("client", client),
    ];
    let wanted = names.iter().filter(|(_, is_wanted)| *is_wanted).map(|(name, _)| *name);
    let wanted: Vec<_> = wanted.map(|name| format!("\"{name}\"")).collect();
    let large: Vec<_> = question.large_depots.iter().map(|name| ascii_json(name)).collect();
    let change = question.event.change.map_or("null".to_owned(), ascii_json);
    let client = question.event.name.map_or("\"\"".to_owned(), ascii_json);
    let shelves = question.event.kind == FormEventKind::Shelve;
    format!(
        "{{\"wanted\": [{}], \"change\": {change}, \"large\": [{}], \"most_files\": {most_files}, \
         \"most_judged\": {MAX_FILES}, \"most_bytes\": {MAX_PATH_BYTES}, \"shelves\": {shelves}, \
         \"client\": {client}}}",
        wanted.join(", "),
        large.join(", ")
    )
}

struct Program {
    child: Child,
    group: Pid,
    exit_fd: OwnedFd,
    answer: Output,
    /// The traceback of a defect.
    complaint: Output,
}

impl Program {
    fn start<'w>(words: impl IntoIterator<Item = &'w OsStr>, request: &str) -> Result<Self, Fault> {
        let python = python()?;
        let fault = |error: io::Error| Fault::of_file(&python, &error);
        let (answer, answer_end) = Output::new(MAX_ANSWER_BYTES).map_err(fault)?;
        let (complaint, complaint_end) = Output::new(MAX_COMPLAINT_BYTES).map_err(fault)?;
        let mut child = Command::new(&python)
            .arg("-I")
            .args(words)
            .env_clear()
            .env("PATH", "/bin:/usr/bin")
            .process_group(0)
            .stdin(in_memory(request).map_err(fault)?)
            .stdout(answer_end)
            .stderr(complaint_end)
            .spawn()
            .map_err(fault)?;
        let group = Pid::from_child(&child);
        match pidfd_open(group, PidfdFlags::empty()) {
            Ok(exit_fd) => Ok(Program { child, group, exit_fd, answer, complaint }),
            Err(error) => {
                end(&mut child, group).map_err(fault)?;
                Err(fault(error.into()))
            }
        }
    }

    /// Reads the program's output until it ends or reaches a limit; a fault if the output is too long.
    /// The end of the pipes is not awaited, because a process left behind by the program may keep them
    /// open.
    fn watch(
        &mut self,
        until_ns: u64,
        clock: &impl Clock,
        waits: &dyn Fn(),
    ) -> Result<Option<Overrun>, Fault> {
        let start_ns = clock.since_boot_ns();
        let process = self.group.as_raw_nonzero().to_string();
        loop {
            let now_ns = clock.since_boot_ns();
            let spent = ProcessorTime::of(&process);
            let slept_ns = spent.slept_ns(now_ns.saturating_sub(start_ns));
            let overrun = [
                (slept_ns >= SILENCE_NS, Overrun::Silence),
                (spent.ran_ns >= WORK_NS, Overrun::Work),
                (now_ns >= until_ns, Overrun::Time),
            ];
            if let Some((_, overrun)) = overrun.into_iter().find(|(is_reached, _)| *is_reached) {
                return Ok(Some(overrun));
            }
            waits();
            let left_ns = (SILENCE_NS - slept_ns).min(until_ns - now_ns).min(ROUND_NS);
            let has_ended = self.wait(left_ns)?;
            self.answer.read()?;
            self.complaint.read()?;
            if has_ended {
                return Ok(None);
            }
        }
    }

    /// Waits, at most `left_ns`, until the program writes output or ends; returns whether it has
    /// ended.
    fn wait(&self, left_ns: u64) -> Result<bool, Fault> {
        let pipes = [&self.answer, &self.complaint];
        let pipes = pipes.into_iter().filter_map(|output| output.pipe.as_ref());
        let watched = std::iter::once(self.exit_fd.as_fd()).chain(pipes.map(AsFd::as_fd));
        let mut watched: Vec<_> =
            watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let left = Timespec::try_from(Duration::from_nanos(left_ns)).ok();
        match poll(&mut watched, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Fault::new(format!("cannot wait for it: {error}"))),
        }
        Ok(watched.first().is_some_and(|fd| !fd.revents().is_empty()))
    }

    /// Ends the program and all its descendants that stayed in its process group.
    fn end(&mut self) -> Result<ExitStatus, Fault> {
        let status = end(&mut self.child, self.group);
        status.map_err(|error| Fault::new(format!("cannot wait for it: {error}")))
    }

    /// How it ended, and the last line of its error output.
    fn complaint(&self, status: ExitStatus) -> String {
        let end = match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown end".to_owned(),
        };
        let text = self.complaint.bytes.trim_ascii();
        match text.rsplit(|byte| *byte == b'\n').next().unwrap_or_default() {
            b"" => end,
            last => format!("{end}: {}", cut(last)),
        }
    }
}

/// The Python beside this program, so that each of several installed versions starts its own. A
/// Python on `PATH` is never used, because p4d's environment determines `PATH`.
pub fn python() -> Result<PathBuf, Fault> {
    let own = std::env::current_exe();
    let own =
        own.map_err(|error| Fault::new(format!("cannot determine the gate's own path: {error}")))?;
    Ok(own.with_file_name("python3"))
}

/// For a request of any length, which the program may never read.
fn in_memory(text: &str) -> Result<Stdio, io::Error> {
    let mut file = File::from(rustix::fs::memfd_create("request", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}

/// Kills a process group, then waits for its leader, because after the wait the group's number may
/// belong to another process.
fn end(child: &mut Child, group: Pid) -> Result<ExitStatus, io::Error> {
    let _ = kill_process_group(group, Signal::KILL);
    child.wait()
}

/// One output pipe of the program, with the bytes read from it.
struct Output {
    /// None once it is closed.
    pipe: Option<PipeReader>,
    bytes: Vec<u8>,
    most_bytes: usize,
}

impl Output {
    /// Also returns the writing end.
    fn new(most_bytes: usize) -> Result<(Self, PipeWriter), io::Error> {
        let (pipe, end) = io::pipe()?;
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok((Output { pipe: Some(pipe), bytes: Vec::new(), most_bytes }, end))
    }

    /// Reads the bytes that are there, without waiting; a fault if they are too many.
    fn read(&mut self) -> Result<(), Fault> {
        let mut chunk = [0; 16 << 10];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(bytes) => self.bytes.extend_from_slice(chunk.get(..bytes).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::new(format!("its output: {error}"))),
            }
            if self.bytes.len() > self.most_bytes {
                let most_bytes = self.most_bytes;
                return Err(Fault::new(format!("it wrote over {most_bytes} bytes")));
            }
        }
        Ok(())
    }
}
