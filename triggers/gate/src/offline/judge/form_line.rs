//! Parser of one input line of `p4warden-gate judge` with a form or a submit.

use super::time::nanoseconds;
use crate::base::json_text::Text;
use crate::event::form_event::{FormEvent, FormEventKind, SubmittedFile};
use crate::forms::form::{Fields, Form};
use crate::forms::form_parser::parse;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An empty name counts as absent, as in a trigger's arguments.
pub(super) struct FormLine<'a> {
    /// JSON, returned unchanged in the output line.
    pub id: Option<&'a str>,
    /// Since the Unix epoch; without it `judge` uses the current time.
    pub time_ns: Option<u64>,
    /// JSON.
    pub facts: Option<&'a str>,
    kind: FormEventKind,
    form_type: Option<Text<'a>>,
    name: Option<Text<'a>>,
    user: Option<Text<'a>>,
    groups: Vec<Text<'a>>,
    client: Option<Text<'a>>,
    ip: Option<Text<'a>>,
    prog: Option<Text<'a>>,
    version: Option<Text<'a>>,
    form: Option<Text<'a>>,
    fields: Option<BTreeMap<Text<'a>, Vec<Text<'a>>>>,
    change: Option<Text<'a>>,
    files: Option<Vec<FileDocument<'a>>>,
    is_trial: bool,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    event: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    form_type: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    user: Option<&'a RawValue>,
    #[serde(borrow)]
    groups: Option<&'a RawValue>,
    #[serde(borrow)]
    client: Option<&'a RawValue>,
    #[serde(borrow)]
    ip: Option<&'a RawValue>,
    #[serde(borrow)]
    prog: Option<&'a RawValue>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    #[serde(borrow)]
    form: Option<&'a RawValue>,
    #[serde(borrow)]
    fields: Option<&'a RawValue>,
    #[serde(borrow)]
    change: Option<&'a RawValue>,
    #[serde(borrow)]
    files: Option<&'a RawValue>,
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    trial: Option<&'a RawValue>,
    #[serde(borrow)]
    facts: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct FileDocument<'a> {
    #[serde(borrow)]
    path: Text<'a>,
    #[serde(borrow)]
    action: Text<'a>,
}

impl<'a> FormLine<'a> {
    /// None for a line without the event of a form or a submit.
    pub fn read(line: &'a [u8]) -> Result<Option<Self>, String> {
        let head: Option<Head<'_>> = serde_json::from_slice(line).ok();
        let kind = head.and_then(|head| FormEventKind::of_word(&head.event?));
        kind.map(|kind| Self::of(kind, line)).transpose()
    }

    fn of(kind: FormEventKind, line: &'a [u8]) -> Result<Self, String> {
        let names: Document<'a> =
            serde_json::from_slice(line).map_err(|error| format!("invalid JSON: {error}"))?;
        let text = |name: &str, json| value(json, || format!("{name} is not text"));
        let name = |name: &str, json| {
            Ok::<_, String>(text(name, json)?.filter(|name: &Text<'a>| !name.is_empty()))
        };
        let groups = value(names.groups, || "groups is not a list of names".to_owned())?;
        let fields = || "fields is not an object of lists of texts".to_owned();
        let files = || "files is not a list of objects with a path and an action".to_owned();
        let trial = || "trial is neither true nor false".to_owned();
        Ok(FormLine {
            id: names.id.map(RawValue::get),
            time_ns: names.time.map(|json| nanoseconds(json.get())).transpose()?,
            facts: names.facts.map(RawValue::get),
            kind,
            form_type: name("type", names.form_type)?,
            name: name("name", names.name)?,
            user: name("user", names.user)?,
            groups: groups.unwrap_or_default(),
            client: name("client", names.client)?,
            ip: name("ip", names.ip)?,
            prog: name("prog", names.prog)?,
            version: name("version", names.version)?,
            form: text("form", names.form)?,
            fields: value(names.fields, fields)?,
            change: change(names.change)?,
            files: value(names.files, files)?,
            is_trial: value(names.trial, trial)?.unwrap_or(false),
        })
    }

    #[must_use]
    pub fn event<'e>(&'e self, day: &'e dyn Fn() -> String) -> FormEvent<'e> {
        let file =
            |file: &'e FileDocument<'a>| SubmittedFile { path: &file.path, action: &file.action };
        FormEvent {
            form_type: self.form_type.as_deref(),
            name: self.name.as_deref(),
            user: self.user.as_deref(),
            groups: self.groups.iter().map(|group| &**group).collect(),
            client: self.client.as_deref(),
            ip: self.ip.as_deref(),
            prog: self.prog.as_deref(),
            version: self.version.as_deref(),
            form: match (&self.form, &self.fields) {
                _ if self.kind == FormEventKind::Submit => None,
                (Some(text), _) => Some(parse(text)),
                (None, fields) => fields.as_ref().map(|fields| Ok(form_of(fields))),
            },
            change: self.change.as_deref(),
            files: self.files.as_ref().map(|files| files.iter().map(file).collect()),
            is_trial: self.is_trial,
            ..FormEvent::unknown(self.kind, day)
        }
    }
}

fn value<'a, T: Deserialize<'a>>(
    json: Option<&'a RawValue>,
    problem: impl Fn() -> String,
) -> Result<Option<T>, String> {
    json.map(|json| serde_json::from_str(json.get()).map_err(|_| problem())).transpose()
}

/// A number or a text.
fn change(json: Option<&RawValue>) -> Result<Option<Text<'_>>, String> {
    let digits = json.map(RawValue::get).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    match digits {
        Some(digits) => Ok(Some(digits.as_bytes().to_vec().into())),
        None => value(json, || "change is not text".to_owned()),
    }
}

/// Of a spec that was rebuilt from a checkpoint and has no text.
pub(super) fn form_of<'f>(fields: &'f BTreeMap<Text<'_>, Vec<Text<'_>>>) -> Form<'f> {
    let borrowed = |text: &'f Text<'_>| Cow::Borrowed(&**text);
    let fields: Fields<'f> = fields
        .iter()
        .map(|(name, values)| (borrowed(name), values.iter().map(borrowed).collect()))
        .collect();
    Form { text: b"", fields }
}
