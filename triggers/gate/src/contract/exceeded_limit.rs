//! The objection of rule `limit_command_rate`: a rate limit that a request exceeds, and its
//! description in words.

use crate::base::plural::about;
use crate::base::text::with_separators;
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::keys::request;
use crate::event::command_event::Event;
use crate::policy::parts::{Part, Parts};
use crate::policy::pressure::{LeastLoad, Level};
use crate::policy::rates::{Limit, Unit};
use crate::proposals::program_words::{Remedy, words_of};
use crate::rate::limits::in_words;
use crate::rate::waiting_slots::{MOST, MOST_OF_A_USER, SlotShortage};

pub const SUMMARY: &str = "a command is sent more often than the policy allows";
const SUMMARY_OF_RECORDS: &str = "a command would read more records than the budget has left";
/// Main names of p4 commands that treat each of any number of file arguments separately, so that
/// one command with a list of files replaces one command per file.
const OF_LISTS: &str = "add annotate attribute cstat delete diff dirs edit filelog files fixes \
    fstat grep have integrated labelsync list lock opened print reconcile reopen resolve resolved \
    revert sizes sync tag unlock verify where";
/// Number of files that refusals recommend for one command. `p4 -x` sends 128 arguments in one
/// command unless `-b` gives another number (`p4 -h`). Linux starts no trigger with an argument of
/// over 128 KiB, which holds 500 paths of up to 260 bytes.
const FILES_AT_ONCE: usize = 500;

#[derive(Clone, Copy, Debug)]
pub struct ExceededLimit<'l> {
    pub limit: &'l Limit,
    /// Earlier requests, or their records, that count against the limit.
    pub used: u64,
    /// None if the limit counts requests.
    pub records: Option<Records>,
    pub wait_ns: u64,
    /// Because of which the request is not delayed.
    pub slot_shortage: Option<SlotShortage>,
}

/// The records by which a command counts against a budget.
#[derive(Clone, Copy, Debug)]
pub struct Records {
    pub unit: Unit,
    pub own: u64,
    /// Whether the number is an estimate of all that the command reads.
    pub is_known: bool,
}

impl Records {
    fn noun(self) -> &'static str {
        match self.unit {
            Unit::Files => "files",
            Unit::Revisions => "revisions",
        }
    }
}

impl ExceededLimit<'_> {
    pub fn finding(&self, event: &Event<'_>) -> Finding {
        let own = self.records.map_or(1, |records| records.own);
        let problem = match self.records {
            None => self.problem(),
            Some(records) => self.problem_of(records),
        };
        let summary = if self.records.is_some() { SUMMARY_OF_RECORDS } else { SUMMARY };
        Finding {
            value: Amount::Number(self.used.saturating_add(own)),
            limit: Amount::Text(self.limit.allow.clone()),
            fix: Fix::Advice(self.advice(event)),
            wait_ns: Some(self.wait_ns),
            ..Finding::of_command(event, summary, problem)
        }
    }

    fn problem(&self) -> String {
        let Limit { burst, least_load, .. } = *self.limit;
        let allow = in_words(&self.limit.allow);
        let limit_text = match burst {
            1 if allow.starts_with("one ") => allow,
            1 => format!("{allow}, evenly spread"),
            burst => format!("{burst} at once, then {allow}"),
        };
        let (scope, load) = (scope(self.limit.parts), load_text(least_load));
        let crowd = crowd(self.slot_shortage, MOST_OF_A_USER);
        format!("was sent too often: the limit for {scope} is {limit_text}{load}{crowd}")
    }

    fn problem_of(&self, records: Records) -> String {
        let Limit { burst, least_load, .. } = *self.limit;
        let (own, noun) = (about(records.own), records.noun());
        let request = match records.is_known {
            true => format!("would read about {own} {noun}"),
            false => format!("counts as {own} {noun}, because their number is unknown"),
        };
        let (scope, load) = (scope(self.limit.parts), load_text(least_load));
        let crowd = crowd(self.slot_shortage, MOST_OF_A_USER);
        let [burst, used] = [burst, self.used].map(with_separators);
        let allow = with_separated_number(&in_words(&self.limit.allow));
        format!(
            "{request}; of the budget of {scope}{load} ({burst} {noun} at once, then {allow}) \
             {used} are used{crowd}"
        )
    }

    fn advice(&self, event: &Event<'_>) -> String {
        if self.records.is_some() {
            return "Ask for a smaller part of the files, or wait until enough of the budget is free."
                .to_owned();
        }
        let parts: Vec<_> = self.limit.parts.iter().collect();
        let is_by_shape = parts.contains(&Part::Shape);
        let names_something = request(event).is_some_and(|request| request.names_something());
        if parts.contains(&Part::Args) || is_by_shape && !names_something {
            "The same question was asked again: keep its answer, or wait. It counts as the same in \
             another order and with another -m or -T; other questions are counted separately."
                .to_owned()
        } else if is_by_shape {
            one_instead_of_many(event)
        } else {
            let menu = words_of(event.prog, Remedy::RefreshLess);
            let menu = menu.map(|words| format!("\n{words}")).unwrap_or_default();
            format!(
                "Run this command less often; a program that polls can ask at longer intervals, or \
                 once for all its jobs.{menu}"
            )
        }
    }
}

fn one_instead_of_many(event: &Event<'_>) -> String {
    if !OF_LISTS.split_whitespace().any(|name| name.as_bytes() == event.name.main_name) {
        return "Send one command that covers everything you need instead of many similar ones."
            .to_owned();
    }
    let instead = "Send one command for a whole directory or for a list of files instead of many \
         similar ones";
    by_lists(event, instead)
}

/// `instead` is the sentence before.
pub fn by_lists(event: &Event<'_>, instead: &str) -> String {
    format!(
        "{instead}: p4 -b {FILES_AT_ONCE} -x LIST {} (LIST: a file with at most {FILES_AT_ONCE} \
         paths, one on each line).",
        event.excerpt(event.command)
    )
}

fn load_text(least: LeastLoad) -> String {
    match least {
        LeastLoad::Level(Level::Low) => String::new(),
        LeastLoad::Level(Level::Medium) => " while the load on the server is medium or high".into(),
        LeastLoad::Level(Level::High) => " while the load on the server is high".into(),
        LeastLoad::LockWaiters(1) => " while anyone waits for a lock on the server's tables".into(),
        LeastLoad::LockWaiters(least) => {
            let least = with_separators(least);
            format!(" while {least} or more sessions wait for a lock on the server's tables")
        }
    }
}

/// A rate in words with separators in its number, such as `5,000,000 every 10 minutes`.
fn with_separated_number(words: &str) -> String {
    let (number, rest) = words.split_once(' ').unwrap_or((words, ""));
    let number = number.parse().map_or_else(|_| number.to_owned(), with_separators);
    format!("{number} {rest}")
}

/// Whose commands are counted together.
pub fn scope(parts: Parts) -> String {
    let words: Vec<_> = parts.iter().map(word).collect();
    if words.is_empty() { "all users together".to_owned() } else { scope_text(&words) }
}

/// Why a command may not wait.
pub fn crowd(shortage: Option<SlotShortage>, most_of_a_user: usize) -> String {
    let (number, owner) = match shortage {
        None => return String::new(),
        Some(SlotShortage::OfUser) => (most_of_a_user, "this user"),
        Some(SlotShortage::OfAll) => (MOST, "all users"),
    };
    format!("; {number} commands of {owner} are already waiting, and no more may wait")
}

fn scope_text(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => format!("each {last}"),
        Some((last, others)) => format!("each {} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn word(part: Part) -> &'static str {
    match part {
        Part::User => "user",
        Part::Client => "client",
        Part::Ip => "address",
        Part::Program => "program",
        Part::Args => "set of arguments",
        Part::Shape => "kind of command",
    }
}
