//! Replaces the values of a field in the text of a spec form; the other fields stay unchanged.
//!
//! For forms written by the server itself (p4 client -o): a field starts in column 0, its values are
//! indented.

use crate::forms::form::Form;
use crate::forms::form_parser::parse;
use std::borrow::Cow;

/// The form's text with a new value of a one-word field; None if the value cannot be written.
pub fn with_value(form: &Form<'_>, field: &str, value: &[u8]) -> Option<Vec<u8>> {
    let row = [field.as_bytes(), b":\t", value].concat();
    replaced(form, field, &[value], &[row])
}

/// The form's text with new values of a list field, followed by comment lines; None if the values
/// cannot be written.
pub fn with_lines(
    form: &Form<'_>,
    field: &str,
    values: &[&[u8]],
    notes: &[&str],
) -> Option<Vec<u8>> {
    let mut rows = vec![[field.as_bytes(), b":"].concat()];
    rows.extend(values.iter().map(|value| [b"\t", *value].concat()));
    rows.extend(notes.iter().map(|note| format!("# {note}").into_bytes()));
    replaced(form, field, values, &rows)
}

fn replaced(form: &Form<'_>, field: &str, values: &[&[u8]], new: &[Vec<u8>]) -> Option<Vec<u8>> {
    let rows: Vec<&[u8]> = form.text.split(|byte| *byte == b'\n').collect();
    let (start, end) = span(&rows, field);
    let new = new.iter().map(Vec::as_slice);
    let rows = rows.iter().copied();
    let rows: Vec<&[u8]> = rows.clone().take(start).chain(new).chain(rows.skip(end)).collect();
    let text = rows.join(&b'\n');
    let mut fields = form.fields.clone();
    let values = values.iter().map(|value| Cow::Borrowed(*value));
    fields.insert(field.to_ascii_lowercase().into_bytes().into(), values.collect());
    let is_same = parse(&text).is_ok_and(|form| form.fields == fields);
    is_same.then_some(text)
}

/// The indexes of a field's first line and of the line after its values; both are the index of the
/// form's end for an absent field.
fn span(rows: &[&[u8]], field: &str) -> (usize, usize) {
    let is_tag = |row: &&[u8]| {
        let name = row.get(..field.len()).unwrap_or_default();
        name.eq_ignore_ascii_case(field.as_bytes()) && row.get(field.len()) == Some(&b':')
    };
    let Some(start) = rows.iter().position(is_tag) else {
        let end = rows.len() - usize::from(rows.last().is_some_and(|row| row.is_empty()));
        return (end, end);
    };
    let rest = rows.iter().skip(start + 1);
    let is_indented = |row: &&&[u8]| matches!(row.first(), Some(b'\t' | b' '));
    (start, start + 1 + rest.take_while(is_indented).count())
}
