//! The objection of rule `limit_command_rate`: a rate limit that a request exceeds, and its
//! description in words.

use crate::event::command_event::Event;
use crate::event::finding::{Amount, Finding, Fix};
use crate::policy::compiled::Limit;
use crate::policy::document::Part;
use crate::policy::pressure::Level;
use crate::rate::limits::in_words;
use crate::rate::waiting_slots::{MOST, MOST_OF_A_USER, SlotShortage};

const SUMMARY: &str = "a command is sent more often than the policy allows";

/// A rate limit that a request exceeds, with the number of requests that count against the limit
/// and the time that the request must wait to conform to it.
#[derive(Clone, Copy, Debug)]
pub struct ExceededLimit<'l> {
    pub(super) limit: Limit<'l>,
    /// Number of requests that count against the exceeded limit, the current request included.
    pub(super) count: u64,
    pub(super) wait_ns: u64,
    /// The shortage of waiting slots (the user's or the server's) because of which the request is
    /// not delayed; None if there is no such shortage.
    pub(super) full: Option<SlotShortage>,
}

impl ExceededLimit<'_> {
    pub(super) fn finding(&self, event: &Event<'_>) -> Finding {
        let problem = self.problem();
        Finding {
            summary: SUMMARY,
            item: event.excerpt(event.command),
            place: "Command".to_owned(),
            detail: format!("{} {problem}", event.excerpt(event.command)),
            problem,
            value: Amount::Number(self.count),
            limit: Amount::Text(self.limit.allow().into_owned()),
            fix: Fix::Advice(self.advice(event)),
            wait_ns: Some(self.wait_ns),
        }
    }

    fn problem(&self) -> String {
        let Limit { burst, when, .. } = self.limit;
        let allow = in_words(&self.limit.allow());
        let limit_text = match burst {
            1 if allow.starts_with("one ") => allow,
            1 => format!("{allow}, evenly spread"),
            burst => format!("{burst} at once, then {allow}"),
        };
        let whom: Vec<_> = self.limit.parts.iter().map(word).collect();
        let whom = if whom.is_empty() { "all users together".to_owned() } else { per_each(&whom) };
        let pressure = match when {
            Level::Low => String::new(),
            Level::Medium => " while the load on the server is medium or high".to_owned(),
            Level::High => " while the load on the server is high".to_owned(),
        };
        let (count, crowd) = (self.count, self.crowd());
        format!(
            "was sent too often (this is request {count}): the limit for {whom} is {limit_text}{pressure}{crowd}"
        )
    }

    fn crowd(&self) -> String {
        match self.full {
            None => String::new(),
            Some(SlotShortage::OfUser) => {
                format!("; {MOST_OF_A_USER} commands of this user are waiting already")
            }
            Some(SlotShortage::OfAll) => format!("; {MOST} commands are waiting already"),
        }
    }

    /// Advice to the user who exceeds a rate limit, chosen by the parts of the request that the
    /// limit counts by.
    fn advice(&self, event: &Event<'_>) -> String {
        let parts: Vec<_> = self.limit.parts.iter().collect();
        if parts.contains(&Part::Args) {
            "The same command was repeated with the same arguments: keep its output, or wait; \
             other arguments are not limited by this."
                .to_owned()
        } else if parts.contains(&Part::Shape) {
            format!(
                "Many similar commands were sent: combine them into one command for a directory \
                 or a list of files (p4 -x FILE {}).",
                event.excerpt(event.command)
            )
        } else {
            "Run this command less often; in P4V, raise the refresh interval in its preferences."
                .to_owned()
        }
    }
}

fn per_each(words: &[&str]) -> String {
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
