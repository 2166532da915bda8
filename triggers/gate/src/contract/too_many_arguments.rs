//! The objection to a command with more arguments than a rule can judge in a bounded time: a
//! finding, no failure of p4warden, because the user chose the arguments.

use crate::contract::exceeded_limit::by_lists;
use crate::contract::finding::{Amount, Finding, Fix};
use crate::event::command_event::Event;
use crate::paths::argument_words::Words;
use crate::paths::joined_words::MAX_WORDS;

const SUMMARY: &str = "a command has too many arguments to judge";

/// The objection to arguments of more than `MAX_WORDS` words; None for fewer.
#[must_use]
pub fn by_words(event: &Event<'_>, args: &[u8]) -> Option<Finding> {
    Words::of(args).nth(MAX_WORDS).map(|_| finding(event, MAX_WORDS as u64, "words"))
}

/// The objection to arguments that take more than `most` steps to judge, or look-ups in an index.
#[must_use]
pub fn finding(event: &Event<'_>, most: u64, unit: &str) -> Finding {
    let problem = format!("has too many arguments to judge: at most {most} {unit}");
    Finding {
        value: Amount::Number(most.saturating_add(1)),
        limit: Amount::Number(most),
        fix: Fix::Advice(by_lists(event, "Name fewer files at a time")),
        ..Finding::of_command(event, SUMMARY, problem)
    }
}
