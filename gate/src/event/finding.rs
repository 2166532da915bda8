//! A rule's objection to an event, in text for logs and refusals. Has the same fields as `Finding`
//! in `core/records.py`.

use std::fmt;

/// One objection of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Constant description of the objection, without this event's values, so that log entries can
    /// be grouped.
    pub summary: &'static str,
    /// The text that the user wrote or requested, made printable and cut.
    pub item: String,
    /// Position of the item in the command or form, for display, such as `View line 3`.
    pub place: String,
    /// Description of the fault in the item.
    pub problem: String,
    /// `place`, `item` and `problem` combined in one line.
    pub detail: String,
    /// The amount measured in this event.
    pub value: Amount,
    /// The amount that the rule allows.
    pub limit: Amount,
    /// Advice to the user: an alternative that is allowed.
    pub fix: Fix,
    /// Nanoseconds until the event would pass; None if waiting does not help.
    pub wait_ns: Option<u64>,
}

/// A measured or allowed amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// An amount that is a number, such as a count of records.
    Number(u64),
    /// A rate or a version, in characters that need no escaping in logs and refusals.
    Text(String),
    /// No amount is measured or no limit applies.
    Nothing,
}

/// Advice to the user about an allowed alternative.
#[derive(Clone, Debug)]
pub enum Fix {
    /// A sentence that tells the user what to do instead.
    Advice(String),
    /// A path to use instead, with words in capitals that the user has to replace.
    Path(String),
}

impl Fix {
    /// The sentence or the path of the advice, as one line.
    #[must_use]
    pub fn line(&self) -> &str {
        match self {
            Fix::Advice(line) | Fix::Path(line) => line,
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Number(number) => write!(to, "{number}"),
            Amount::Text(text) => to.write_str(text),
            Amount::Nothing => to.write_str("none"),
        }
    }
}
