//! `p4warden-log replay`: what a policy would have done to the commands of a log.
//!
//! The gate's own library judges, with the log's clock. How hard the server worked is not known,
//! and of arguments that p4d left out, or cut off, nothing is.

mod compare;
mod contention;
mod groups;
mod history;
mod names;
mod report;
mod saved;
mod side;
mod tally;

use crate::command::Command;
use crate::input::in_order;
use crate::options::{Options, Trouble};
use crate::sink::Sink;
use crate::stream::{More, Reader};
use crate::text::Detail;
use compare::Compare;
use contention::Contention;
use groups::Groups;
use history::History;
use p4warden_gate::clock::zone;
use p4warden_gate::flat::{Extras, encode};
use p4warden_gate::judge::{FactsDocument, Judge};
use p4warden_gate::policy::Policy;
use saved::Saved;
use side::{Said, Side};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write, stdout};
use std::os::unix::fs::OpenOptionsExt;

/// Replays logs and writes the report, one object of JSON; false if a log could not be read to its
/// end.
pub fn run(words: &[OsString]) -> Result<bool, Trouble> {
    let flags = ["history", "progress"];
    let options = Options::read(words, &flags, &["policy", "against", "facts", "groups", "each"])?;
    let facts = || options.get("facts").map_or(Ok(FactsDocument::default()), read_facts);
    let case_sensitive = facts()?.case_sensitive.unwrap_or(true);
    let first = options.get("policy").ok_or(Trouble::Usage("--policy is missing".to_owned()))?;
    let first = flat(first, facts()?)?;
    let second = options.get("against").map(|path| flat(path, facts()?)).transpose()?;
    let mut replay = Replay {
        first: side(&first)?,
        second: second.as_deref().map(side).transpose()?,
        groups: options.get("groups").map(|path| read_groups(path, case_sensitive)).transpose()?,
        history: options.has("history").then(History::default),
        each: options.get("each").map(Each::create).transpose()?,
        ..Replay::empty(side(&first)?)
    };
    let (counts, problems) = replay_all(&options, &mut replay)?;
    let report = report::document(&replay, &counts, &problems);
    let told = |error: io::Error| Trouble::File(error.to_string());
    writeln!(stdout().lock(), "{report}").map_err(told)?;
    replay.each.map_or(Ok(()), Each::finish).map_err(told)?;
    Ok(problems.is_empty())
}

fn replay_all(
    options: &Options,
    replay: &mut Replay<'_>,
) -> Result<(crate::counts::Counts, Vec<String>), Trouble> {
    let logs = in_order(&options.logs, &zone()).map_err(Trouble::File)?;
    let of_bytes: u64 = logs.iter().filter_map(|log| log.stored_bytes).sum();
    let mut reader = Reader::new(zone(), Detail::Locks);
    let (mut problems, mut before_bytes) = (Vec::new(), 0);
    for log in &logs {
        let progress = |read_bytes: u64| {
            if options.has("progress") {
                let read_bytes = before_bytes + read_bytes;
                eprintln!("{{\"read_bytes\": {read_bytes}, \"of_bytes\": {of_bytes}}}");
            }
        };
        if let Err(problem) = reader.read(log, replay, |_, _| More::No, progress) {
            eprintln!("p4warden-log: {problem}");
            problems.push(problem);
        }
        before_bytes += log.stored_bytes.unwrap_or(0);
    }
    reader.finish(replay);
    replay.bytes = reader.bytes;
    Ok((reader.counts(), problems))
}

/// All that is learned.
struct Replay<'p> {
    first: Side<'p>,
    second: Option<Side<'p>>,
    groups: Option<Groups>,
    /// Which rules would have stopped a command; its mark is the place here, and 1.
    stopped: Vec<Vec<usize>>,
    free: Vec<usize>,
    saved: Saved,
    contention: Contention,
    compare: Compare,
    history: Option<History>,
    times_ns: Option<(u64, u64)>,
    bytes: u64,
    each: Option<Each>,
}

/// A file of the verdicts, one a line.
struct Each {
    file: BufWriter<File>,
    line: String,
    written: io::Result<()>,
}

impl Each {
    fn create(path: &str) -> Result<Self, Trouble> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let file = file.map_err(|error| Trouble::File(format!("{path}: {error}")))?;
        Ok(Each { file: BufWriter::new(file), line: String::new(), written: Ok(()) })
    }

    fn note(&mut self, command: &Command, now_ns: u64, said: &Said<'_>) {
        report::each(&mut self.line, command, now_ns, said);
        if self.written.is_ok() {
            self.written = self.file.write_all(self.line.as_bytes());
        }
        self.line.clear();
    }

    fn finish(mut self) -> io::Result<()> {
        self.written?;
        self.file.flush()
    }
}

impl<'p> Replay<'p> {
    fn empty(first: Side<'p>) -> Self {
        Replay {
            first,
            second: None,
            groups: None,
            stopped: Vec::new(),
            free: Vec::new(),
            saved: Saved::default(),
            contention: Contention::default(),
            compare: Compare::default(),
            history: None,
            times_ns: None,
            bytes: 0,
            each: None,
        }
    }

    fn mark(&mut self, command: &mut Command, stopped_by: Vec<usize>) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.stopped.push(Vec::new());
            self.stopped.len() - 1
        });
        if let Some(stopped) = self.stopped.get_mut(place) {
            *stopped = stopped_by;
            command.mark = place as u64 + 1;
        }
    }

    fn judged(&mut self, command: &Command, now_ns: u64) -> Option<Said<'p>> {
        let groups = self.groups.as_ref();
        let first = self.first.begun(command, now_ns, groups);
        let Some(second) = &mut self.second else {
            return first;
        };
        let second = second.begun(command, now_ns, groups);
        let verdict = |said: &Option<Said<'_>>| {
            said.as_ref().map_or(p4warden_gate::outcome::Verdict::Allow, |said| said.verdict)
        };
        self.compare.note(verdict(&first), verdict(&second), command);
        first
    }
}

impl Sink for Replay<'_> {
    fn begun(&mut self, command: &mut Command) {
        let Some(now_ns) = command.start_ns else {
            return;
        };
        let (first_ns, last_ns) = self.times_ns.unwrap_or((now_ns, now_ns));
        self.times_ns = Some((first_ns.min(now_ns), last_ns.max(now_ns)));
        if let Some(history) = &mut self.history
            && let Some(name) = command.said.command().and_then(|c| c.strip_prefix(b"user-"))
        {
            history.note(name, command.said.user().unwrap_or_default(), now_ns);
        }
        let Some(said) = self.judged(command, now_ns) else {
            return;
        };
        if let Some(each) = &mut self.each {
            each.note(command, now_ns, &said);
        }
        if !said.stopped_by.is_empty() {
            self.mark(command, said.stopped_by);
        }
    }

    fn over(&mut self, command: &Command) {
        let place = usize::try_from(command.mark).ok().and_then(|mark| mark.checked_sub(1));
        self.contention.over(command, place.is_some());
        let Some(place) = place else {
            return;
        };
        self.saved.add(command);
        let rules = self.stopped.get_mut(place).map(std::mem::take).unwrap_or_default();
        for rule in rules {
            if let Some((_, tally)) = self.first.tallies.get_mut(rule) {
                tally.saved.add(command);
            }
        }
        self.free.push(place);
    }
}

fn flat(path: &str, facts: FactsDocument) -> Result<Vec<u8>, Trouble> {
    let policy = Policy::from_json(&file(path)?).map_err(|problem| in_file(path, &problem))?;
    let case_sensitive = facts.case_sensitive.unwrap_or(true);
    let depots = facts.depots.0;
    Ok(encode(&policy, &Extras { case_sensitive, deadline_ns: 1, worker: None, depots }))
}

fn side(policy: &[u8]) -> Result<Side<'_>, Trouble> {
    let judge = Judge::new(policy, zone());
    let judge = judge.map_err(|_| Trouble::File("the policy is damaged".to_owned()))?;
    Ok(Side::new(judge, zone()))
}

fn read_facts(path: &str) -> Result<FactsDocument, Trouble> {
    serde_json::from_slice(&file(path)?).map_err(|error| in_file(path, &error.to_string()))
}

fn read_groups(path: &str, case_sensitive: bool) -> Result<Groups, Trouble> {
    let groups = Groups::from_json(&file(path)?, case_sensitive);
    groups.map_err(|problem| in_file(path, &problem))
}

fn file(path: &str) -> Result<Vec<u8>, Trouble> {
    std::fs::read(path).map_err(|error| in_file(path, &error.to_string()))
}

fn in_file(path: &str, problem: &str) -> Trouble {
    Trouble::File(format!("{path}: {problem}"))
}
