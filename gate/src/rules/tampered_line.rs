//! The objection to a trigger line that a user-chosen value broke apart (see `event::arguments`).
//!
//! Such a trigger line is not a failure of p4warden and is judged: enforced rules refuse the event,
//! other rules observe it. Of the user-chosen values only the certain ones are used, and no rate
//! counts the event. Same text as `judge/tampered_line.py`.

use crate::event::command_event::Event;
use crate::event::finding::{Amount, Finding, Fix};
use crate::event::line_check::BrokenName;
use crate::rules::rule_result::RuleResult;

/// The user name in the decision log's records of tampered trigger lines, because the real name can
/// differ each time.
pub const LOG_NAME: &[u8] = b"(tampered line)";

const SUMMARY: &str = "a name breaks the trigger line apart";
const PROBLEM: &str = "contains a quotation mark (which may not be visible here), a control character, or a word such as --args=";
const UNKNOWN: &str = "is a quotation mark, a control character, or a word such as --args= in your user name, your \
    client name, your program's name, or the arguments of your command";

/// The result of every rule that covers an event whose trigger line is tampered with: an objection
/// to the user-chosen value that broke the line apart, or to an unknown one.
#[must_use]
pub fn result(event: &Event<'_>) -> RuleResult<'static> {
    let Some(BrokenName { option, value }) = &event.broken else {
        return RuleResult::from(finding("There", String::new(), UNKNOWN, "Remove it."));
    };
    let (place, advice) = match *option {
        "user" => ("Your user name", "Use a name without them."),
        "client" => ("Your client name", "Use a name without them."),
        "prog" => ("Your program's name", "Use a name without them."),
        "version" => ("The version of your program", "Use a version without them."),
        "cwd" => (
            "The path of your current directory",
            "Run the command in a directory whose path contains none of them.",
        ),
        _ => (
            "The argument list of your command",
            "Leave that argument out, or name a directory in place of a file with such a name.",
        ),
    };
    RuleResult::from(finding(place, event.excerpt(value), PROBLEM, advice))
}

fn finding(place: &str, item: String, problem: &str, advice: &str) -> Finding {
    let item_text = if item.is_empty() { String::new() } else { format!(" ({item})") };
    Finding {
        summary: SUMMARY,
        detail: format!("{place}{item_text} {problem}"),
        item,
        place: place.to_owned(),
        problem: problem.to_owned(),
        value: Amount::Nothing,
        limit: Amount::Nothing,
        fix: Fix::Advice(advice.to_owned()),
        wait_ns: None,
    }
}
