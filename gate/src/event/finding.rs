//! What a rule objects to, ready to be told: the same fields as `Finding` of `core/records.py`.

use std::fmt;

/// One thing that a rule objects to.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What the rule objects to in general, the same words every time, so that logs group.
    pub summary: &'static str,
    /// What the user wrote or asked for, printable and cut.
    pub item: String,
    /// Where it stands, for people.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
    /// The place, the item and what is wrong, in one line.
    pub detail: String,
    /// What was measured.
    pub value: Amount,
    /// What is allowed.
    pub limit: Amount,
    /// What to do instead.
    pub fix: Fix,
    /// In how many nanoseconds it would pass; None if waiting does not help.
    pub wait_ns: Option<u64>,
}

/// What was measured, or is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Number(u64),
    /// A rate or a version, in letters that logs and refusals need not escape.
    Text(String),
    /// There is none.
    Nothing,
}

/// What to do instead.
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
