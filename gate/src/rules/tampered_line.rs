//! A trigger line that a name of the user's own choice broke apart (see `event::arguments`).
//!
//! It is no failure of ours, so it is judged: rules that enforce refuse it, others observe it. Of
//! the values that the user chose only the certain ones are known, and no rate counts it. The same
//! words as `judge/tampered.py`.

use crate::event::finding::{Amount, Finding, Fix};
use crate::rules::found::Found;

/// The one name under which the log tells of all of them, for theirs can be another each time.
pub const LOG_NAME: &[u8] = b"(tampered line)";

const SUMMARY: &str = "a name breaks the trigger line apart";
const PROBLEM: &str =
    "is a quotation mark or control character in the name of your user, client or program";
const ADVICE: &str = "Take it out of that name. The name of a p4warden option, such as --args=, has \
    the same effect in a name or an argument.";

/// The result of every rule for it.
#[must_use]
pub fn found() -> Found<'static> {
    let place = "There".to_owned();
    Found::from(Finding {
        summary: SUMMARY,
        item: String::new(),
        detail: format!("{place} {PROBLEM}"),
        place,
        problem: PROBLEM.to_owned(),
        value: Amount::Nothing,
        limit: Amount::Nothing,
        fix: Fix::Advice(ADVICE.to_owned()),
        wait_ns: None,
    })
}
