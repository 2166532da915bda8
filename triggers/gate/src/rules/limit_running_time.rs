//! Rule `limit_running_time`: objects to a command that has been running for longer than the policy
//! allows. `p4warden running --enforce` reads the running commands and ends those that are refused.

use crate::base::json_text::Text;
use crate::base::text::with_separators;
use crate::contract::command_rule::{CommandRule, ReadRule};
use crate::contract::draft::{DEEP, Draft, Server};
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::contract::remarks::{Document, Remarks, text, texts};
use crate::contract::rule_result::RuleResult;
use crate::event::command_event::{Event, is_rescue};
use crate::event::running_process::RunningProcess;
use crate::paths::command_synonyms::resolve_name;
use crate::policy::rule_fields::settings;
use crate::rate::limits::{duration_in_words, duration_ns, spelled_duration_ns};
use serde::Deserialize;

pub const KIND: KindOfRule = KindOfRule {
    name: "limit_running_time",
    summary: "a command runs longer than the policy allows",
    events: &[],
    read: Reader::OfCommands(read),
    remarks,
};

/// No shorter `max_time` is allowed: a command that takes the number of another on the same
/// connection is told from it by its start.
const LEAST_NS: u64 = 60 * 1_000_000_000;

/// Main names of commands that a stop could leave half done, that repair a server, or that run for
/// as long as it does. The mark that ends a submit may take effect in its commit.
const NEVER_ENDED: [&str; 14] = [
    "archive", "export", "journalcopy", "journaldbchecksums", "obliterate", "prune", "reload",
    "replicate", "restore", "storage", "submit", "unload", "upgrades", "verify",
];
/// Of the server's own steps and of the calls between servers.
const OWN_PREFIXES: [&[u8]; 2] = [b"dm-", b"rmt-"];

#[derive(Debug)]
struct RunningTime {
    max_time_ns: u64,
    /// As in the policy.
    max_time: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings<'a> {
    #[serde(borrow)]
    max_time: Text<'a>,
    /// Kept by `p4warden running`.
    #[serde(default, rename = "max_ends_per_hour")]
    _max_ends_per_hour: Option<u64>,
}

pub fn is_never_ended(command: &[u8]) -> bool {
    let command = command.to_ascii_lowercase();
    let main_name = resolve_name(&command).main_name;
    is_rescue(&command)
        || NEVER_ENDED.iter().any(|name| name.as_bytes() == main_name)
        || OWN_PREFIXES.iter().any(|prefix| command.starts_with(prefix))
        || !command.first().is_some_and(u8::is_ascii_alphabetic)
}

impl CommandRule for RunningTime {
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e> {
        let Some(process) = event.running else { return RuleResult::default() };
        if is_never_ended(event.command) || !may_end(process) {
            return RuleResult::default();
        }
        match process.last.age_ns {
            None => RuleResult::unknown("age-unknown"),
            Some(age_ns) if age_ns <= self.max_time_ns => RuleResult::default(),
            Some(age_ns) => {
                process.doubt().map_or_else(|| objection(self, event, age_ns), RuleResult::unknown)
            }
        }
    }

    fn is_about_running(&self) -> bool {
        true
    }

    fn needed_options(&self, _: &[&[u8]]) -> Vec<&'static str> {
        Vec::new()
    }

    /// The first command, running for longer than its limit.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let Some(command) = commands.first() else { return Vec::new() };
        let path = format!("//{}/{DEEP}", server.first_depot());
        let age_s = self.max_time_ns / 1_000_000_000 + 1;
        let description = format!("{command} that has been running for {age_s} seconds");
        let draft = Draft::of_command(description, command, &path);
        vec![draft.with("event", "running").with("age_s", age_s)]
    }

    fn without_witness(&self, _: &[&str]) -> String {
        "it names no command that may be ended".to_owned()
    }
}

fn read<'a>(_: &str, rule: &'a str) -> ReadRule<'a> {
    Ok(Box::new(settings::<Settings<'_>>(rule)?.checked()?))
}

impl Settings<'_> {
    fn checked(self) -> Result<RunningTime, String> {
        let max_time = String::from_utf8_lossy(&self.max_time).into_owned();
        let max_time_ns = duration_ns(&max_time).filter(|ns| *ns >= LEAST_NS);
        let max_time_ns = max_time_ns
            .ok_or_else(|| format!("max_time {max_time:?} is not one minute or more"))?;
        Ok(RunningTime { max_time_ns, max_time })
    }
}

/// Not a thread of replication, nor one that is idle, paused or marked already. Without a state it
/// may, and stays in doubt.
fn may_end(process: &RunningProcess<'_>) -> bool {
    let state = process.last.state.unwrap_or(b"running");
    state == b"running" && process.user_type != b"service"
}

fn objection(settings: &RunningTime, event: &Event<'_>, age_ns: u64) -> RuleResult<'static> {
    let (age_s, limit) = (age_ns / 1_000_000_000, duration_in_words(&settings.max_time));
    let problem = format!("has been running for {}; the policy allows {limit}", in_words(age_s));
    RuleResult::from(Finding {
        value: Amount::Number(age_s),
        limit: Amount::Text(settings.max_time.clone()),
        fix: Fix::Advice(
            "Ask for a smaller part of the files, such as one directory after the other."
                .to_owned(),
        ),
        ..Finding::of_command(event, KIND.summary, problem)
    })
}

fn in_words(age_s: u64) -> String {
    match age_s / 60 {
        minutes @ 0..60 => format!("{minutes} min"),
        minutes => format!("{} h {} min", with_separators(minutes / 60), minutes % 60),
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    let may_not = |name: &str| is_never_ended(name.as_bytes()) && !is_rescue(name.as_bytes());
    for (index, name) in texts(rule, "commands").filter(|(_, name)| may_not(name)) {
        let text = format!("{name} is never ended, because a stop could do harm (remove it)");
        to.problem(&["commands".into(), index.into()], text);
    }
    if let Some(time) = text(rule, "max_time")
        && spelled_duration_ns(time).is_some_and(|ns| ns < LEAST_NS)
    {
        to.problem(&["max_time".into()], format!("{time} is too short (write at least 1m)"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stop_could_leave_half_done_is_never_ended() {
        for command in [
            "submit", "dm-CommitSubmit", "DM-COMMITSUBMIT", "rmt-Journal", "obliterate", "verify",
            "unload", "reload", "archive", "restore", "admin", "pull", "monitor", "password", "",
            "(unknown)",
        ] {
            assert!(is_never_ended(command.as_bytes()), "{command}");
        }
        for command in ["sync", "flush", "fstat", "changes", "integ", "populate"] {
            assert!(!is_never_ended(command.as_bytes()), "{command}");
        }
    }

    #[test]
    fn ages_are_told_in_minutes_or_hours() {
        for (age_s, words) in [(59, "0 min"), (3599, "59 min"), (7260, "2 h 1 min")] {
            assert_eq!(in_words(age_s), words);
        }
    }
}
