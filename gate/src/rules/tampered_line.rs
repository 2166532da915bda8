//! A trigger line that a user-chosen name broke apart (see `event::arguments`).
//!
//! Such a line is not a failure of p4warden and is judged: enforcing rules refuse it, others
//! observe it. Of the user-chosen values only the certain ones are used, and no rate counts the
//! event. Same text as `judge/tampered.py`.

use crate::event::finding::{Amount, Finding, Fix};
use crate::rules::rule_result::RuleResult;

/// The single name under which all tampered lines are logged, because their own names can differ
/// every time.
pub const LOG_NAME: &[u8] = b"(tampered line)";

const SUMMARY: &str = "a name breaks the trigger line apart";
const PROBLEM: &str = "is a quotation mark, a control character or a word such as --args= in the name of your \
    user, client or program";
const ADVICE: &str =
    "Use a name without it. Such a word among the arguments of a command has the same effect.";

/// The result of every rule for a tampered line.
#[must_use]
pub fn result() -> RuleResult<'static> {
    let place = "There".to_owned();
    RuleResult::from(Finding {
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
