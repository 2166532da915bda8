//! Parser of one input line of `p4warden-gate judge` with an event. Keys that do not apply may be
//! absent or null, and unknown keys are ignored. Beside what `docs/policy-reference.md` lists:
//! `fields` (of a form without text, by name), `trial` (no exemption applies, every rule is
//! enforced), `repeat` (the event occurs so often at its time; the answer is to the last).

use super::form_facts::{FormFactsDocument, NO_DEPOTS};
use super::time::nanoseconds;
use crate::base::json_text::{Text, is_object, problem};
use crate::base::visible::visible_excerpt;
use crate::event::form_event::FormEventKind;
use crate::event::selector::Server;
use crate::facts::document::FactsDocument;
use crate::policy::pressure::{Level, Load};
use crate::rate::queue::Ends;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

const EVENTS: &str = "form-save, form-out, command, running, change-submit, shelve-submit";
pub const MAX_REPEAT: u64 = 10_000;

/// An empty name counts as absent, as in a trigger's arguments.
pub(super) struct EventLine<'a> {
    /// JSON, returned unchanged in the output line.
    pub id: Option<&'a str>,
    /// Since the Unix epoch; without it `judge` uses the current time.
    pub time_ns: Option<u64>,
    /// JSON.
    pub facts: Option<&'a str>,
    pub kind: EventKind<'a>,
    pub repeat: u64,
    pub is_trial: bool,
    pub form_type: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    pub user: Option<Text<'a>>,
    pub groups: Option<Vec<Text<'a>>>,
    pub client: Option<Text<'a>>,
    pub ip: Option<Text<'a>>,
    pub server: Option<Text<'a>>,
    pub services: Option<Text<'a>>,
    pub prog: Option<Text<'a>>,
    pub version: Option<Text<'a>>,
    pub form: Option<Text<'a>>,
    pub fields: Option<BTreeMap<Text<'a>, Vec<Text<'a>>>>,
    pub args: Option<Vec<Text<'a>>>,
    pub directory: Option<Text<'a>>,
    pub load: Load,
    pub ends: Ends,
    pub change: Option<Text<'a>>,
    pub files: Option<Vec<FileDocument<'a>>>,
    /// By default that of `files`.
    pub file_count: Option<u64>,
}

pub(super) enum EventKind<'a> {
    Form(FormEventKind),
    /// With or without the prefix `user-`.
    Command(Text<'a>),
    /// A command that runs already.
    Running(Text<'a>),
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct FileDocument<'a> {
    pub path: Text<'a>,
    pub action: Text<'a>,
}

type Json<'a> = Option<&'a RawValue>;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Document<'a> {
    id: Json<'a>,
    event: Json<'a>,
    #[serde(rename = "type")]
    form_type: Json<'a>,
    name: Json<'a>,
    command: Json<'a>,
    user: Json<'a>,
    groups: Json<'a>,
    client: Json<'a>,
    ip: Json<'a>,
    server: Json<'a>,
    services: Json<'a>,
    prog: Json<'a>,
    version: Json<'a>,
    form: Json<'a>,
    fields: Json<'a>,
    args: Json<'a>,
    clientcwd: Json<'a>,
    pressure: Json<'a>,
    lock_waiters: Json<'a>,
    runs_s: Json<'a>,
    change: Json<'a>,
    files: Json<'a>,
    file_count: Json<'a>,
    time: Json<'a>,
    trial: Json<'a>,
    repeat: Json<'a>,
    facts: Json<'a>,
}

impl<'a> EventLine<'a> {
    /// The error says what is wrong with the line.
    pub fn read(line: &'a [u8]) -> Result<Self, String> {
        let one: Document<'a> = document(line)?;
        let kind = kind(one.event, one.command)?;
        let groups = value(one.groups, || "groups is not a list of names".to_owned())?;
        let fields = || "fields is not an object of lists of texts".to_owned();
        let files = || "files is not a list of objects with a path and an action".to_owned();
        let trial = || "trial is neither true nor false".to_owned();
        let args = || r#"args is not a list of words, such as ["-m", "1", "//depot/main/..."]"#;
        Ok(EventLine {
            id: one.id.map(RawValue::get),
            time_ns: nanoseconds(one.time)?,
            facts: facts(one.facts)?,
            kind,
            repeat: repeat(one.repeat)?,
            is_trial: value(one.trial, trial)?.unwrap_or(false),
            form_type: name("type", one.form_type)?,
            name: name("name", one.name)?,
            user: name("user", one.user)?,
            groups,
            client: name("client", one.client)?,
            ip: name("ip", one.ip)?,
            server: name("server", one.server)?,
            services: name("services", one.services)?,
            prog: name("prog", one.prog)?,
            version: name("version", one.version)?,
            form: text("form", one.form)?,
            fields: value(one.fields, fields)?,
            args: value(one.args, || args().to_owned())?,
            directory: name("clientcwd", one.clientcwd)?,
            load: Load {
                level: pressure(one.pressure)?,
                lock_waiters: lock_waiters(one.lock_waiters)?,
            },
            ends: runs(one.runs_s)?,
            change: change(one.change)?,
            files: value(one.files, files)?,
            file_count: value(one.file_count, || "file_count is not a number".to_owned())?,
        })
    }

    pub fn groups(&self) -> Option<Vec<&[u8]>> {
        Some(self.groups.as_ref()?.iter().map(|group| &**group).collect())
    }

    pub fn server(&self) -> Server<'_> {
        Server { id: self.server.as_deref(), services: self.services.as_deref() }
    }

    pub fn server_facts(&self) -> Result<FactsDocument<'_>, String> {
        self.facts_of(|json| serde_json::from_str::<FactsDocument<'_>>(json).map(drop))
    }

    pub fn form_facts(&self) -> Result<FormFactsDocument<'_>, String> {
        self.facts_of(|json| serde_json::from_str::<FormFactsDocument<'_>>(json).map(drop))
    }

    /// `read` is for a part of the facts, to name the one that is wrong.
    fn facts_of<'f, T: Deserialize<'f> + Default>(
        &'f self,
        read: impl Fn(&str) -> serde_json::Result<()>,
    ) -> Result<T, String> {
        let Some(json) = self.facts else { return Ok(T::default()) };
        serde_json::from_str(json).map_err(|error| {
            let parts: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
            let wrong = parts.into_iter().find_map(|(name, part)| {
                let alone = read(&format!("{{{}: {part}}}", serde_json::Value::from(&*name)));
                alone.err().map(|error| wrong_fact(&name, part.get(), &error))
            });
            format!("facts: {}", wrong.unwrap_or_else(|| problem(&error)))
        })
    }
}

fn document<'a>(line: &'a [u8]) -> Result<Document<'a>, String> {
    let invalid = |error: serde_json::Error| match error.is_data() {
        true => problem(&error),
        false => format!("invalid JSON: {} at column {}", problem(&error), error.column()),
    };
    if !is_object(line) {
        serde_json::from_slice::<IgnoredAny>(line).map_err(invalid)?;
        return Err("the line is not a JSON object".to_owned());
    }
    serde_json::from_slice(line).map_err(invalid)
}

fn kind<'a>(event: Json<'a>, command: Json<'a>) -> Result<EventKind<'a>, String> {
    let word: Option<Text<'a>> = event.and_then(|json| serde_json::from_str(json.get()).ok());
    let command = text("command", command)?;
    match (word.as_deref(), command) {
        (Some(b"command"), Some(command)) => Ok(EventKind::Command(command)),
        (Some(b"running"), Some(command)) => Ok(EventKind::Running(command)),
        (Some(word @ (b"command" | b"running")), None) => {
            let word = visible_excerpt(word, false);
            Err(format!("a {word} event needs a field named \"command\""))
        }
        (Some(word), _) => FormEventKind::of_word(word).map(EventKind::Form).ok_or_else(|| {
            format!("event is '{}', not one of {EVENTS}", visible_excerpt(word, false))
        }),
        (None, _) => Err(format!("event is missing; it is one of {EVENTS}")),
    }
}

/// For how long the command runs; not at all if absent, so that it counts for no later one.
fn runs(json: Json<'_>) -> Result<Ends, String> {
    let ns = nanoseconds(json).map_err(|_| "runs_s is not a number of seconds".to_owned())?;
    Ok(Ends::After(ns.unwrap_or(0)))
}

fn facts<'a>(json: Json<'a>) -> Result<Option<&'a str>, String> {
    match json.map(RawValue::get) {
        Some(json) if !is_object(json.as_bytes()) => {
            Err("facts: the document is not an object".to_owned())
        }
        json => Ok(json),
    }
}

fn wrong_fact(name: &str, json: &str, error: &serde_json::Error) -> String {
    match name {
        "case_sensitive" | "unicode" | "limit_view" | "client_exists" => {
            format!("{name} is neither true nor false")
        }
        "depots" if !is_object(json.as_bytes()) => NO_DEPOTS.to_owned(),
        "server_id" => "server_id is not text".to_owned(),
        "used" => "used is not a list of directories".to_owned(),
        _ => format!("{name}: {}", problem(error)),
    }
}

fn text<'a>(name: &str, json: Json<'a>) -> Result<Option<Text<'a>>, String> {
    value(json, || format!("{name} is not text"))
}

fn name<'a>(name: &str, json: Json<'a>) -> Result<Option<Text<'a>>, String> {
    Ok(text(name, json)?.filter(|name| !name.is_empty()))
}

fn value<'a, T: Deserialize<'a>>(
    json: Json<'a>,
    problem: impl Fn() -> String,
) -> Result<Option<T>, String> {
    json.map(|json| serde_json::from_str(json.get()).map_err(|_| problem())).transpose()
}

fn repeat(json: Json<'_>) -> Result<u64, String> {
    let problem = || format!("repeat is not a number from 1 to {MAX_REPEAT}");
    let times = value(json, problem)?.unwrap_or(1);
    if (1..=MAX_REPEAT).contains(&times) { Ok(times) } else { Err(problem()) }
}

/// A whole number or a text.
fn change(json: Json<'_>) -> Result<Option<Text<'_>>, String> {
    let number = json.map(RawValue::get).filter(|text| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    match number {
        Some(number) => Ok(Some(number.as_bytes().to_vec().into())),
        None => text("change", json),
    }
}

/// A text or a number. Low if absent; None for `unknown`, as in events from a server log.
fn pressure(json: Json<'_>) -> Result<Option<Level>, String> {
    match json.map(|json| json.get().trim_matches('"')) {
        None => Ok(Some(Level::Low)),
        Some("unknown") => Ok(None),
        Some(text) => match Level::parse(text.as_bytes()) {
            Some(level) => Ok(Some(level)),
            None => Err("pressure is not low, medium, high or unknown".to_owned()),
        },
    }
}

/// 0 if absent; None for `unknown`.
fn lock_waiters(json: Json<'_>) -> Result<Option<u64>, String> {
    match json.map(RawValue::get) {
        None => Ok(Some(0)),
        Some("\"unknown\"") => Ok(None),
        _ => value(json, || "lock_waiters is neither a whole number nor unknown".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogate_escapes_in_names_are_read_as_bytes() -> Result<(), String> {
        let line = br#"{"event": "command", "command": "fstat", "user": "a\udcff\udc80\u00e9"}"#;
        let line = EventLine::read(line)?;
        assert_eq!(line.user.as_deref(), Some(&b"a\xff\x80\xc3\xa9"[..]));
        Ok(())
    }

    #[test]
    fn a_line_without_a_valid_event_is_an_error_in_words_of_the_caller() {
        for (line, problem) in [
            ("{", "invalid JSON: EOF while parsing an object at column 1"),
            ("no", "invalid JSON: expected ident at column 2"),
            ("[]", "the line is not a JSON object"),
            (
                "{}",
                "event is missing; it is one of form-save, form-out, command, running, change-submit, shelve-submit",
            ),
            (r#"{"event": "command"}"#, "a command event needs a field named \"command\""),
            (r#"{"event": "command", "command": 7}"#, "command is not text"),
            (r#"{"event": "form-out", "name": ["ws"]}"#, "name is not text"),
            (r#"{"event": "form-out", "facts": 1}"#, "facts: the document is not an object"),
            (r#"{"event": "form-out", "repeat": 0}"#, "repeat is not a number from 1 to 10000"),
            (r#"{"event": "form-out", "user": "a", "user": "b"}"#, "duplicate field `user`"),
        ] {
            let error = EventLine::read(line.as_bytes()).err();
            assert_eq!(error.as_deref(), Some(problem), "{line}");
        }
        let facts = |json: &str| {
            let line = format!(r#"{{"event": "form-out", "facts": {json}}}"#);
            let line = EventLine::read(line.as_bytes())?;
            line.form_facts()?.depots()?;
            line.server_facts().map(drop)
        };
        for (json, problem) in [
            (r#"{"depots": 1}"#, "facts: depots is not an object"),
            (r#"{"unicode": "no"}"#, "facts: unicode is neither true nor false"),
            (r#"{"used": ["//a/", 1]}"#, "facts: used is not a list of directories"),
            (r#"{"view": {}}"#, "facts: view: missing field `files`"),
        ] {
            assert_eq!(facts(json), Err(problem.to_owned()));
        }
        let error = EventLine::read(br#"{"event": "form-in"}"#).err().unwrap_or_default();
        assert!(error.starts_with("event is 'form-in', not one of form-save, "), "{error}");
    }
}
