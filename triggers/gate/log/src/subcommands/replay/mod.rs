//! `p4warden-log replay`: the gate's own library judges each command at its time in the log; only
//! the simulation of delays shifts these times. Facts that the log does not state are unknown, such
//! as the server's load, and the arguments of a command if some were omitted or cut off.

mod budget_history;
mod compared_estimates;
mod comparison;
mod contention;
mod estimate;
mod files;
mod groups;
mod history;
mod lapses;
mod listed_commands;
mod names;
mod policy_run;
mod report;
mod saved_usage;
mod shares;
mod tally;
mod verdict_file;

use crate::parse::text::Detail;
use crate::record::command::Command;
use crate::record::sink::Sink;
use crate::source::log_files::is_stream;
use crate::subcommands::all_logs::{Reading, read_all};
use crate::subcommands::servers::Servers;
use budget_history::BudgetHistory;
use compared_estimates::ComparedEstimates;
use comparison::Comparison;
use contention::Contention;
use estimate::Estimate;
use files::{
    DelayingRules, delaying_rules, estimate, facts_of, file, policy_of, read_groups, read_index,
    run_of,
};
use groups::Groups;
use history::History;
use lapses::Lapses;
use p4warden_gate::ask::judge::JudgedPolicy;
use p4warden_gate::base::patterns::folded_name;
use p4warden_gate::event::selector::Server;
use p4warden_gate::judge::command_outcome::Verdict;
use p4warden_gate::paths::command_synonyms::resolve_name;
use p4warden_gate::rate::queue::Ends;
use p4warden_index::base::fault::Fault;
use p4warden_index::base::options::Options;
use policy_run::{Origin, PolicyRun, PolicyVerdict};
use saved_usage::SavedUsage;
use serde_json::Value;
use shares::Shares;
use std::ffi::OsString;
use std::io::{self, Write, stdout};
use std::rc::Rc;
use verdict_file::VerdictFile;

/// False if a file is not a log or could not be read to its end.
pub fn run(words: &[OsString]) -> Result<bool, Fault> {
    let flags = ["history", "progress"];
    let with_value = [
        "policy", "against", "facts", "groups", "each", "index", "estimated", "budget",
        "unknown-as", "server", "services",
    ];
    let options = Options::read(words, &flags, &with_value)?;
    let text = |name| options.get(name).map(|path| Ok((path, file(path)?))).transpose();
    let facts = text("facts")?;
    let facts = facts.as_ref().map(|(path, text)| facts_of(path, text)).transpose()?;
    let facts = facts.unwrap_or_default();
    let (case_sensitive_if_known, case_sensitive) =
        (facts.case_sensitive, facts.case_sensitive.unwrap_or(true));
    let index =
        options.get("index").map(|path| read_index(path, case_sensitive_if_known)).transpose()?;
    let commands = options.get("estimated").unwrap_or_default();
    let first = text("policy")?.ok_or(Fault::Usage("--policy is missing".to_owned()))?;
    let (path, first) = (first.0, first.1.as_slice());
    let delaying = delaying_rules(path, first, &facts)?;
    let first = policy_of(path, first, &facts)?;
    let second = text("against")?;
    let second = second.as_ref().map(|(path, text)| policy_of(path, text, &facts)).transpose()?;
    let unknown_as = unknown_as(options.get("unknown-as"))?;
    let budget_history = index.as_ref().zip(options.get("budget"));
    let budget_history = budget_history
        .map(|(index, commands)| BudgetHistory::new(Rc::clone(index), commands, unknown_as));
    let policies: Vec<_> = [Some(&first), second.as_ref()].into_iter().flatten().collect();
    let (lapses, reading) = lapses(&policies, &options)?;
    let mut replay = Replay {
        first_run: run_of(&first).with_index(index.clone()),
        second_run: second.as_ref().map(|policy| run_of(policy).with_index(index.clone())),
        compared_estimates: index.map(|index| ComparedEstimates::new(index, commands)),
        groups: options.get("groups").map(|path| read_groups(path, case_sensitive)).transpose()?,
        history: options.has("history").then(History::default),
        budget_history,
        verdict_file: options.get("each").map(VerdictFile::create).transpose()?,
        case_sensitive,
        services: options.get("services").map(str::to_owned),
        estimates: delaying.iter().map(estimates).collect(),
        lapses,
        server: None,
        stopping_rules: Vec::new(),
        free_entries: Vec::new(),
        saved_usage: SavedUsage::default(),
        shares: Shares::default(),
        contention: Contention::default(),
        comparison: Comparison::default(),
        times_ns: None,
        bytes: 0,
    };
    let detail = if replay.compared_estimates.is_some() { Detail::Full } else { Detail::Locks };
    let totals = read_all(&options, detail, reading, &mut replay)?;
    replay.bytes = totals.bytes;
    let origin = origin(replay.groups.as_ref(), &replay.server, &replay.services, 0);
    replay.estimates.iter_mut().for_each(|(_, estimate)| estimate.finish(origin));
    let report = report::document(&replay, &totals.counts, &totals.problems);
    let problem = |error: io::Error| Fault::File(error.to_string());
    writeln!(stdout().lock(), "{report}").map_err(|error| Fault::of_output(&error))?;
    replay.verdict_file.map_or(Ok(()), VerdictFile::finish).map_err(problem)?;
    Ok(totals.problems.is_empty())
}

/// With the reading that comes next. Of logs that can be read only once, no command is known to end.
fn lapses(
    policies: &[&JudgedPolicy<'_>],
    options: &Options,
) -> Result<(Option<Lapses>, Reading), Fault> {
    let mut lapses = Lapses::needed_by(policies);
    let is_read_once = Servers::read(options)?.files.iter().any(|file| is_stream(&file.path));
    let Some(own) = lapses.as_mut().filter(|_| !is_read_once) else {
        return Ok((lapses, Reading::ONLY));
    };
    read_all(options, Detail::Locks, Reading { number: 1, of: 2 }, own)?;
    Ok((lapses, Reading { number: 2, of: 2 }))
}

fn unknown_as(number: Option<&str>) -> Result<u64, Fault> {
    let problem = |_| Fault::Usage("--unknown-as needs a number of records".to_owned());
    number.map_or(Ok(0), |number| number.parse().map_err(problem))
}

fn estimates<'p>(delaying: &'p DelayingRules<'p>) -> (&'p [String], Estimate<'p>) {
    (&delaying.rules, estimate(&delaying.policy))
}

fn origin<'r>(
    groups: Option<&'r Groups>,
    server: &'r Option<String>,
    services: &'r Option<String>,
    now_ns: u64,
) -> Origin<'r> {
    let bytes = |name: &'r Option<String>| name.as_deref().map(str::as_bytes);
    let server = Server { id: bytes(server), services: bytes(services) };
    Origin { groups, server, now_ns, ends: Ends::Unknown }
}

struct Replay<'p> {
    first_run: PolicyRun<'p>,
    second_run: Option<PolicyRun<'p>>,
    groups: Option<Groups>,
    /// Identifier of the server that wrote the logs, if it is known.
    server: Option<String>,
    /// Of that server, such as `commit-server`; no log states them.
    services: Option<String>,
    /// For each command that has not ended and that rules refuse, or would if enforced: the indexes
    /// of these rules in `PolicyRun::tallies`. The command's mark is the entry's index plus 1.
    stopping_rules: Vec<Vec<usize>>,
    free_entries: Vec<usize>,
    saved_usage: SavedUsage,
    shares: Shares,
    contention: Contention,
    comparison: Comparison,
    history: Option<History>,
    budget_history: Option<BudgetHistory>,
    times_ns: Option<(u64, u64)>,
    bytes: u64,
    verdict_file: Option<VerdictFile>,
    compared_estimates: Option<ComparedEstimates>,
    case_sensitive: bool,
    /// None if no rule needs them.
    lapses: Option<Lapses>,
    /// One for each version of the first policy, with the rules whose effect is reported from it.
    estimates: Vec<(&'p [String], Estimate<'p>)>,
}

impl<'p> Replay<'p> {
    /// None if the rule does not delay.
    fn waiting_effect(&self, rule: &str) -> Option<Value> {
        let about = |(rules, _): &&(&[String], _)| rules.iter().any(|name| name == rule);
        let (_, estimate) = self.estimates.iter().find(about)?;
        Some(report::waiting_effect(estimate, rule))
    }

    fn mark(&mut self, command: &mut Command, stopped_by: Vec<usize>) {
        let place = self.free_entries.pop().unwrap_or_else(|| {
            self.stopping_rules.push(Vec::new());
            self.stopping_rules.len() - 1
        });
        if let Some(stopped) = self.stopping_rules.get_mut(place) {
            *stopped = stopped_by;
            command.mark = place as u64 + 1;
        }
    }

    fn note_history(&mut self, command: &Command, now_ns: u64, ends: Ends) {
        if self.history.is_none() && self.budget_history.is_none() {
            return;
        }
        let origin = origin(self.groups.as_ref(), &self.server, &self.services, now_ns);
        let class = self.first_run.class(command, origin);
        let request = &command.request;
        let name = request.command().and_then(|name| name.strip_prefix(b"user-"));
        if let Some((history, name)) = self.history.as_mut().zip(name) {
            let user = folded_name(request.user().unwrap_or_default(), self.case_sensitive);
            if let Some(counts) = history.counts(resolve_name(name).main_name, class, &user) {
                counts.note(now_ns, 1, 1);
                counts.note_run(now_ns, ends);
            }
        }
        if let Some(budget_history) = &mut self.budget_history {
            let (depots, _) = self.first_run.facts();
            budget_history.note(command, class, now_ns, depots, self.case_sensitive);
        }
    }

    fn judge(&mut self, command: &Command, now_ns: u64, ends: Ends) -> Option<PolicyVerdict<'p>> {
        let origin = origin(self.groups.as_ref(), &self.server, &self.services, now_ns);
        let origin = Origin { ends, ..origin };
        let first = self.first_run.begin(command, origin);
        if first.is_some() {
            for (_, estimate) in &mut self.estimates {
                estimate.begin(&command.request, origin);
            }
        }
        let Some(second) = &mut self.second_run else {
            return first;
        };
        let second = second.begin(command, origin);
        let verdict_of = |verdict: &Option<PolicyVerdict<'_>>| {
            verdict.as_ref().map_or(Verdict::Allow, |verdict| verdict.verdict)
        };
        self.comparison.note(verdict_of(&first), verdict_of(&second), command);
        first
    }
}

impl Sink for Replay<'_> {
    fn server(&mut self, name: Option<&str>) {
        self.server = name.map(str::to_owned);
    }

    fn begin(&mut self, command: &mut Command) {
        let Some(now_ns) = command.start_ns else {
            return;
        };
        let (first_ns, last_ns) = self.times_ns.unwrap_or((now_ns, now_ns));
        self.times_ns = Some((first_ns.min(now_ns), last_ns.max(now_ns)));
        let ends = self.lapses.as_mut().map(|lapses| lapses.of_next(&command.request));
        let ends = ends.unwrap_or_default();
        self.note_history(command, now_ns, ends);
        let Some(verdict) = self.judge(command, now_ns, ends) else {
            return;
        };
        if let Some(verdict_file) = &mut self.verdict_file {
            verdict_file.note(command, now_ns, &verdict);
        }
        if !verdict.stopping_rules.is_empty() {
            self.mark(command, verdict.stopping_rules);
        }
    }

    fn end_command(&mut self, command: &Command) {
        let place = usize::try_from(command.mark).ok().and_then(|mark| mark.checked_sub(1));
        self.contention.end_command(command, place.is_some());
        if let Some(estimates) = &mut self.compared_estimates {
            let (depots, case_sensitive) = self.first_run.facts();
            estimates.end_command(command, depots, case_sensitive);
        }
        let rules = place.and_then(|place| self.stopping_rules.get_mut(place));
        let rules = rules.map(std::mem::take).unwrap_or_default();
        self.shares.end_command(command, &rules);
        let Some(place) = place else {
            return;
        };
        self.saved_usage.add(command);
        for rule in rules {
            if let Some((_, tally)) = self.first_run.tallies.get_mut(rule) {
                tally.saved_usage.add(command);
            }
        }
        self.free_entries.push(place);
    }
}
