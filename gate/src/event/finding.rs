//! An objection of a rule, ready to be told: the same fields as `Finding` of `core/records.py`.

use std::fmt;

/// One thing that a rule objects to.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The objection in general, the same words every time, so that logs group.
    pub summary: &'static str,
    /// The text that the user wrote or asked for, printable and cut.
    pub item: String,
    /// Where it stands, for people.
    pub place: String,
    /// The fault of the item.
    pub problem: String,
    /// The place, the item and its fault, in one line.
    pub detail: String,
    /// The measured amount.
    pub value: Amount,
    /// The allowed amount.
    pub limit: Amount,
    /// Advice: how to ask instead.
    pub fix: Fix,
    /// In how many nanoseconds it would pass; None if waiting does not help.
    pub wait_ns: Option<u64>,
}

/// A measured or an allowed amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Number(u64),
    /// A rate or a version, in letters that logs and refusals need not escape.
    Text(String),
    /// There is none.
    Nothing,
}

/// Advice: how to ask instead.
#[derive(Clone, Debug)]
pub enum Fix {
    /// A sentence.
    Advice(String),
    /// A path to write, with words in capitals where the user has to choose.
    Path(String),
}

impl Fix {
    /// The line without which there is no advice.
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
