//! The form or submit that an input line of `p4warden-gate judge` describes.

use super::event_line::{EventLine, FileDocument};
use crate::base::json_text::Text;
use crate::event::form_event::{FormEvent, FormEventKind, SubmittedFile};
use crate::forms::form::{Fields, Form};
use crate::forms::form_parser::parse;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(super) fn form_event<'e>(
    line: &'e EventLine<'_>,
    kind: FormEventKind,
    (time_s, day): (i64, &'e dyn Fn() -> String),
) -> FormEvent<'e> {
    let file =
        |file: &'e FileDocument<'_>| SubmittedFile { path: &file.path, action: &file.action };
    FormEvent {
        form_type: line.form_type.as_deref(),
        name: line.name.as_deref(),
        user: line.user.as_deref(),
        groups: line.groups(),
        client: line.client.as_deref(),
        ip: line.ip.as_deref(),
        server: line.server(),
        time_s: Some(time_s),
        prog: line.prog.as_deref(),
        version: line.version.as_deref(),
        form: match (&line.form, &line.fields) {
            _ if kind.is_of_a_change() => None,
            (Some(text), _) => Some(parse(text)),
            (None, fields) => fields.as_ref().map(|fields| Ok(form_of(fields))),
        },
        change: line.change.as_deref(),
        files: line.files.as_ref().map(|files| files.iter().map(file).collect()),
        file_count: line.file_count.or(line.files.as_ref().map(|files| files.len() as u64)),
        is_trial: line.is_trial,
        ..FormEvent::unknown(kind, day)
    }
}

/// Of a spec that was rebuilt from a checkpoint and has no text.
pub(super) fn form_of<'f>(fields: &'f BTreeMap<Text<'_>, Vec<Text<'_>>>) -> Form<'f> {
    let borrowed = |text: &'f Text<'_>| Cow::Borrowed(&**text);
    let fields: Fields<'f> = fields
        .iter()
        .map(|(name, values)| (borrowed(name), values.iter().map(borrowed).collect()))
        .collect();
    Form { fields, ..Form::default() }
}
