//! The objection to a command with more arguments than a rule can judge in a bounded time: a
//! finding, no failure of p4warden, because the user chose the arguments.

use crate::contract::exceeded_limit::by_lists;
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::rule_result::{ARGS_LEFT_OUT, RuleResult};
use crate::event::command_event::Event;
use crate::paths::argument_words::Words;
use crate::paths::joined_words::MAX_WORDS;

const SUMMARY: &str = "a command has too many arguments to judge";
/// Of all that the server writes to standard input.
pub const MOST_MIB: u64 = 4;

/// The arguments of an event that can be judged; otherwise the result of a rule that needs them.
pub fn judged_args<'a>(event: &Event<'a>) -> Result<&'a [u8], Box<RuleResult<'static>>> {
    let Some(args) = event.known_args() else {
        return Err(Box::new(match event.args_are_cut {
            true => finding(event, MOST_MIB, "MiB").into(),
            false => RuleResult::unknown(ARGS_LEFT_OUT),
        }));
    };
    match Words::of(args).nth(MAX_WORDS) {
        Some(_) => Err(Box::new(finding(event, MAX_WORDS as u64, "words").into())),
        None => Ok(args),
    }
}

/// The objection to arguments that take more than `most` steps to judge, or look-ups in an index.
pub fn finding(event: &Event<'_>, most: u64, unit: &str) -> Finding {
    let problem = format!("has too many arguments to judge: at most {most} {unit}");
    Finding {
        value: Amount::Number(most.saturating_add(1)),
        limit: Amount::Number(most),
        fix: Fix::Advice(by_lists(event, "Name fewer files at a time")),
        ..Finding::of_command(event, SUMMARY, problem)
    }
}
