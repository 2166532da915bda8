//! The objection to a trigger line that a user-chosen value broke apart (see `event::arguments`).
//!
//! Such a trigger line is not a failure of p4warden and is judged: enforced rules refuse the event,
//! other rules observe it. Of the user-chosen values only the certain ones are used, and no rate
//! counts the event.

use crate::base::text::decoded;
use crate::contract::finding::{Finding, Fix};
use crate::contract::form_finding::FormFinding;
use crate::contract::rule_result::RuleResult;
use crate::event::command_event::Event;
use crate::event::form_event::FormEvent;
use crate::event::line_check::BrokenName;
use crate::event::trigger_options::holds_an_option;

/// The user name in the decision log's records of tampered trigger lines, because the real name can
/// differ each time.
pub const LOG_NAME: &[u8] = b"(tampered line)";

pub const SUMMARY: &str = "a name breaks the trigger line apart";
const OPTION: &str = "text that looks like an option of p4warden (such as --args=)";
const REMOVE_IT: &str = "Remove it.";
const ANOTHER_NAME: &str = "Choose another name.";
const PLACES: &str =
    "in your user name, your client name, your program's name, or the arguments of your command";

/// The result of every rule that covers, or may cover, an event whose trigger line is tampered
/// with: an objection to the user-chosen value that broke the line apart, or to an unknown one.
pub fn result(event: &Event<'_>) -> RuleResult<'static> {
    let Some(BrokenName { option, value }) = &event.broken_name else {
        return RuleResult::from(finding("There", String::new(), unknown(), REMOVE_IT));
    };
    let (place, advice) = of_name(option).unwrap_or((
        "The argument list of your command",
        "Leave that argument out, or name a directory in place of a file with such a name.",
    ));
    RuleResult::from(finding(place, event.excerpt(value), problem(value), advice))
}

/// The objection to a form or a submit. Its proposed line is advice.
pub fn form_finding<'e>(event: &FormEvent<'_>) -> FormFinding<'e> {
    let finding = |item: &[u8], place: &str, problem: String, advice: &str| FormFinding {
        fix: vec![advice.to_owned()],
        ..FormFinding::new(item, place, problem)
    };
    let Some(BrokenName { option, value }) = &event.broken_name else {
        return finding(b"", "There", unknown(), REMOVE_IT);
    };
    let form_type = decoded(event.form_type.unwrap_or(b"spec"));
    let own_name = format!("Your {form_type} name");
    let (place, advice) = of_name(option).unwrap_or((&own_name, ANOTHER_NAME));
    finding(value, place, problem(value), advice)
}

/// The place and the advice for a name of the sender; None for another one.
fn of_name(option: &str) -> Option<(&'static str, &'static str)> {
    Some(match option {
        "user" => ("Your user name", "Ask the contact below to rename your user."),
        "client" => ("Your client name", "Create a client with another name."),
        "prog" => ("Your program's name", "Give the program another name, or use another program."),
        "version" => (
            "The version of your program",
            "Give the program another version, or use another program.",
        ),
        "cwd" => ("The path of your current directory", "Run the command in another directory."),
        _ => return None,
    })
}

fn unknown() -> String {
    format!("is a quotation mark, a control character, or {OPTION} {PLACES}")
}

fn problem(value: &[u8]) -> String {
    format!("cannot be used on this server, because it contains {}", cause(value))
}

/// Words for the part of a value that broke a trigger line apart: all three possibilities, unless
/// the value shows which one it is. p4d removes quotation marks when it splits the line.
fn cause(value: &[u8]) -> String {
    if value.contains(&b'"') {
        "a quotation mark".to_owned()
    } else if holds_an_option(value) {
        OPTION.to_owned()
    } else {
        format!("a quotation mark (perhaps not shown here), a control character, or {OPTION}")
    }
}

fn finding(place: &str, item: String, problem: String, advice: &str) -> Finding {
    let fix = Fix::Advice(advice.to_owned());
    Finding { fix, ..Finding::about(SUMMARY, place, item, problem) }
}
