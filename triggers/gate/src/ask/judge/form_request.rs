//! Questions of `p4warden-gate judge` about the text of a form:
//! `{"ask": "form", "type": "client", "form": "..."}`. With `--index` the answer has `files`, the number
//! that the lines span.

use super::form_line::form_of;
use crate::base::json::{Object, array, quote_bytes};
use crate::base::json_text::Text;
use crate::forms::form::Form;
use crate::forms::form_parser::parse;
use crate::forms::view_lines::{
    MalformedLine, ViewLine, ViewPath, ViewType, lines_with_exclusions,
};
use crate::judge::form_index::include_paths;
use crate::paths::depot_path::span;
use p4warden_index::estimate::form::Names;
use p4warden_index::file::index::Index;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct FormRequest<'a> {
    #[serde(default)]
    form: Text<'a>,
    /// In place of the text.
    fields: Option<BTreeMap<Text<'a>, Vec<Text<'a>>>>,
    /// As p4d names it; lines are listed for `client`, `branch`, `label` and `stream`.
    #[serde(rename = "type")]
    form_type: Option<Text<'a>>,
}

impl FormRequest<'_> {
    /// `problem` (null for a form that can be read) is words after `the form`; `lines` are the depot
    /// paths of the form's lines, with exclusions and malformed lines.
    pub fn answer(&self, index: impl FnOnce() -> Option<Index>, to: &mut String) {
        let form = match &self.fields {
            Some(fields) => Ok(form_of(fields)),
            None => parse(&self.form),
        };
        let mut object = Object::new(to);
        object.maybe("problem", form.as_ref().err().map(|problem| problem.as_str()));
        let (mut fields, form) = (String::new(), form.unwrap_or_default());
        write_fields(&mut fields, &form);
        let view_type = self.form_type.as_deref().and_then(ViewType::named);
        // A form that cannot be read has no default view.
        let view_type = view_type.filter(|_| !form.fields.is_empty());
        let lines = view_type.map(|view_type| lines_with_exclusions(&form, view_type));
        object.raw("fields", &fields).list("lines", lines.unwrap_or_default(), write_line);
        if let Some((view_type, index)) = view_type.zip(index()) {
            let paths = include_paths(&form, view_type);
            let span = index.span(&paths, u64::MAX, Names::default()).ok();
            object.maybe_number("files", span.map(|span| span.files.likely()));
        }
        object.finish();
    }
}

/// Writes the fields of a form as a JSON object of lists; a byte that is not UTF-8 is `\udcNN`.
pub fn write_fields(to: &mut String, form: &Form<'_>) {
    to.push('{');
    for (index, (name, values)) in form.fields.iter().enumerate() {
        to.push_str(if index == 0 { "" } else { ", " });
        quote_bytes(to, name);
        to.push_str(": ");
        array(to, values, |to, value| quote_bytes(to, value));
    }
    to.push('}');
}

fn write_line(object: &mut Object<'_>, line: ViewLine<'_>) {
    match line {
        ViewLine::Malformed(MalformedLine { line, problem, .. }) => {
            object.number("number", line.number as u64).text("field", line.field);
            object.text("flag", "").raw("path", "null").raw("other", "null").raw("side", "null");
            object.text("problem", &problem);
        }
        ViewLine::Path(ViewPath { line, flag, path, client_path, side, other_path, .. }) => {
            object.number("number", line.number as u64).text("field", line.field);
            object.text("flag", flag.mark()).bytes("path", Some(&path));
            object.bytes("other", client_path.as_deref().or(other_path));
            object.maybe("side", side.map(|side| side.word()));
            // JSON shows all characters.
            let problem = span(&path).err().map(|error| error.problem(&path, true));
            object.maybe("problem", problem.as_deref());
        }
    }
}
