//! The finding of a rule: its objection to a command event, with texts and amounts for the decision
//! log and refusals. `Finding` in `core/records.py` is its counterpart for forms.

use std::fmt;

/// One objection of a rule to an event, with the texts for the decision log and the refusal.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Constant description of a rule's objection, without the event's values, so that lines of the
    /// decision log can be grouped.
    pub summary: &'static str,
    /// The text to which a rule objects, such as an argument or the program's name, escaped for
    /// display and cut.
    pub item: String,
    /// Place of the text to which a rule objects, for display, such as `Argument 2`.
    pub place: String,
    /// Description of the problem that a rule found, such as `was sent too often`.
    pub problem: String,
    /// `item` and `problem` of a rule's objection, usually with `place`, combined in one line.
    pub detail: String,
    /// The amount that the rule measured in this event, such as a number of requests.
    pub value: Amount,
    /// The limit that the rule sets for the measured amount, such as a rate, a number of records or
    /// a lowest version.
    pub limit: Amount,
    /// Advice to the user in the refusal: an alternative that the policy allows.
    pub fix: Fix,
    /// Nanoseconds until the same request would be allowed; None if waiting does not help.
    pub wait_ns: Option<u64>,
}

/// An amount in a rule's finding: the value that the rule measured in an event, or the rule's
/// limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Amount that is a whole number, such as a count of records.
    Number(u64),
    /// A measured or allowed amount that is a text in printable ASCII, such as a rate or a version.
    Text(String),
    /// No amount: the rule measures nothing in the event, or sets no limit for it.
    Nothing,
}

/// Advice in a refusal about an alternative that the policy allows.
#[derive(Clone, Debug)]
pub enum Fix {
    /// Advice in the form of sentences, one in each line, that name actions allowed by the policy.
    Advice(String),
    /// Advice in the form of depot paths to use instead; words in capitals in them have to be
    /// replaced by the user.
    Paths(Vec<String>),
}

impl Fix {
    /// The fix with another sentence of advice.
    #[must_use]
    pub fn and_then(self, sentence: String) -> Self {
        match self {
            Fix::Advice(lines) => Fix::Advice(format!("{lines}\n{sentence}")),
            Fix::Paths(_) => self,
        }
    }

    /// The lines of a refusal's advice: a sentence, or the depot paths to use instead.
    #[must_use]
    pub fn lines(&self) -> Vec<&str> {
        match self {
            Fix::Advice(lines) => lines.lines().collect(),
            Fix::Paths(paths) => paths.iter().map(String::as_str).collect(),
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
