//! The objection of a rule to a command.

use crate::base::json::Object;
use crate::base::text::wait_in_words;
use crate::event::command_event::Event;
use crate::rate::queue::RETRY_NS;

#[derive(Clone, Debug)]
pub struct Finding {
    /// Constant, without the event's values, so that lines of the decision log can be grouped.
    pub summary: &'static str,
    /// Text to which the rule objects, escaped for display and cut.
    pub item: String,
    /// Such as `Argument 2`.
    pub place: String,
    /// Such as `was sent too often`.
    pub problem: String,
    /// `item` and `problem`, usually with `place`, in one line.
    pub detail: String,
    pub value: Amount,
    pub limit: Amount,
    pub fix: Fix,
    /// Nanoseconds until the same request would be allowed; None if waiting does not help.
    pub wait_ns: Option<u64>,
    /// Whether the rule allows another reading of the command.
    pub is_unusual: bool,
}

const UNUSUAL: &str =
    "a command can be read in several ways, and the rule allows only some of them";
const WRITE_PLAINLY: &str = "Your command can be read in several ways, and the rule allows only some of them. \
     Write each option once and before the files, without empty words and quotation marks, and \
     name files by depot paths.";

impl Finding {
    /// About a command as a whole, without value, limit and fix.
    pub fn of_command(event: &Event<'_>, summary: &'static str, problem: String) -> Self {
        let item = event.excerpt(event.command);
        let detail = format!("{item} {problem}");
        Finding { detail, ..Finding::about(summary, "Command", item, problem) }
    }

    /// About a part of a command, likewise; `item` may be empty.
    pub fn about(summary: &'static str, place: &str, item: String, problem: String) -> Self {
        let in_brackets = if item.is_empty() { String::new() } else { format!(" ({item})") };
        Finding {
            summary,
            detail: format!("{place}{in_brackets} {problem}"),
            item,
            place: place.to_owned(),
            problem,
            value: Amount::Nothing,
            limit: Amount::Nothing,
            fix: Fix::Advice(String::new()),
            wait_ns: None,
            is_unusual: false,
        }
    }

    /// After the command waited; in vain unless it `runs`.
    pub fn end_wait(&mut self, waited_ns: u64, runs: bool) {
        if runs {
            self.wait_ns = Some(waited_ns);
            return;
        }
        self.wait_ns = Some(waited_ns.max(RETRY_NS));
        let waited = format!("; it waited {} in vain", wait_in_words(waited_ns));
        self.problem += &waited;
        self.detail += &waited;
    }

    /// The same about one of several readings of the command, of which the rule allows another.
    pub fn of_one_reading(self) -> Self {
        let fix = Fix::Advice(WRITE_PLAINLY.to_owned());
        let detail = format!("{}, if read in one of several ways", self.detail);
        Finding { summary: UNUSUAL, detail, fix, is_unusual: true, ..self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    Number(u64),
    /// Printable ASCII, such as a rate or a version.
    Text(String),
    Nothing,
}

impl Amount {
    pub fn add_to(&self, object: &mut Object<'_>, name: &str) {
        match self {
            Amount::Number(number) => object.number(name, *number),
            Amount::Text(text) => object.text(name, text),
            Amount::Nothing => object.raw(name, "null"),
        };
    }
}

#[derive(Clone, Debug)]
pub enum Fix {
    /// Sentences, one in each line.
    Advice(String),
    /// Depot paths to use instead; the user has to replace words in capitals.
    Paths(Vec<String>),
}

impl Fix {
    pub fn and_then(self, sentence: String) -> Self {
        match self {
            Fix::Advice(lines) => Fix::Advice(format!("{lines}\n{sentence}")),
            Fix::Paths(_) => self,
        }
    }

    pub fn lines(&self) -> Vec<&str> {
        match self {
            Fix::Advice(lines) => lines.lines().collect(),
            Fix::Paths(paths) => paths.iter().map(String::as_str).collect(),
        }
    }
}

impl Amount {
    pub fn number(&self) -> Option<u64> {
        match self {
            Amount::Number(number) => Some(*number),
            Amount::Text(_) | Amount::Nothing => None,
        }
    }

    pub fn text(&self) -> Option<String> {
        match self {
            Amount::Number(number) => Some(number.to_string()),
            Amount::Text(text) => Some(text.clone()),
            Amount::Nothing => None,
        }
    }
}
