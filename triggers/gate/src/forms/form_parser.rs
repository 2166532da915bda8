//! Parses the text of a spec form into fields, as p4d reads it.
//!
//! The rules are those of the tokenizer that p4d shares with Perforce's C++ API
//! (support/specparse.cc and specdata.cc): a tag stands in column 0 (the first one may be indented)
//! and ends with a colon, indented lines are its values, `#` outside quotes starts a comment, a
//! quote shields `#` and line ends, a repeated field continues the earlier one. Text blocks have no
//! quotes, and no comments but lines with `#` in column 0.
//!
//! The kind of a field determines where the field ends, so a wrong guess could hide a view from the
//! rules. For forms that rules judge, the kinds of p4d's own fields are known. A field that a site
//! defined may be of any kind: a form in which a quote left open there may hide p4d's own fields
//! counts as unreadable.

use crate::base::visible::visible_start;
use crate::forms::form::{Fields, Form};
use std::borrow::Cow;

pub const MAX_FORM_BYTES: usize = 4 << 20;
/// A view of 20,000 lines takes 2 MB.
pub const MAX_LINES: usize = 50_000;
/// With escapes, of the part of a form's line that an error message quotes.
const MAX_QUOTED_BYTES: usize = 40;
const TEXT_FIELD: &[u8] = b"description";
/// Fields of client, stream, branch, label and depot forms, as p4d defines them, that are not text
/// blocks.
const QUOTED_FIELDS: &[&str] = &[
    "access", "address", "altroots", "backup", "branch", "changeview", "client", "components",
    "date", "depot", "host", "ignored", "label", "limitview", "lineend", "map", "name", "options",
    "owner", "parent", "parentview", "paths", "remapped", "revision", "root", "serverid",
    "specmap", "stream", "streamatchange", "streamdepth", "submitoptions", "suffix", "type",
    "update", "view",
];

/// Why a form cannot be judged: words after `the form`.
pub type FormProblem = String;

/// Parses a form with LF or CRLF line ends; it has at least one field.
pub fn parse(text: &[u8]) -> Result<Form<'_>, FormProblem> {
    if text.len() > MAX_FORM_BYTES {
        return Err(format!("is over {} MiB; remove lines, or split it", MAX_FORM_BYTES >> 20));
    }
    if text.iter().filter(|byte| **byte == b'\n').count() >= MAX_LINES {
        return Err("has over 50,000 lines; remove lines, or split it".to_owned());
    }
    // p4d ignores the text after a NUL.
    if text.contains(&0) {
        return Err("contains a NUL character; remove it".to_owned());
    }
    let rows: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let cannot_be_read = |why| format!("cannot be read: {why}");
    let fields = fields(&rows, true).map_err(cannot_be_read)?;
    refuse_double_meaning(&rows, &fields).map_err(cannot_be_read)?;
    if fields.is_empty() {
        Err("is empty".to_owned())
    } else {
        Ok(Form { text, fields, ..Form::default() })
    }
}

/// Refuses a form if an open quote in a site-defined field could hide fields of p4d's own.
///
/// The end of such a field depends on its kind, text or words, which only the server knows. The form
/// is refused if it parses both ways, and `QUOTED_FIELDS` differ between the two readings.
fn refuse_double_meaning(rows: &[&[u8]], fields: &Fields<'_>) -> Result<(), String> {
    let own = || fields.iter().filter(|(name, _)| !is_quoted_field(name) && **name != TEXT_FIELD);
    if !own().any(|(_, values)| values.iter().any(|value| value.contains(&b'"'))) {
        return Ok(());
    }
    // If the site-defined fields were words, p4d itself would refuse a form that is unreadable
    // then. So the reading of these fields as text, as in `fields`, is the only possible one.
    let Ok(other) = self::fields(rows, false) else { return Ok(()) };
    let differs = |name: &&str| other.get(name.as_bytes()) != fields.get(name.as_bytes());
    if !QUOTED_FIELDS.iter().any(differs) {
        return Ok(());
    }
    let names: Vec<&[u8]> = own().map(|(name, _)| &**name).collect();
    let names = quoted(&names.join(&b", "[..]));
    Err(format!("a quotation mark in {names} is left open; add the second one, or remove it"))
}

fn is_quoted_field(name: &[u8]) -> bool {
    QUOTED_FIELDS.binary_search_by(|field| field.as_bytes().cmp(name)).is_ok()
}

fn fields<'f>(rows: &[&'f [u8]], own_are_text: bool) -> Result<Fields<'f>, String> {
    let mut fields = Fields::new();
    let mut current: Option<(&mut Vec<Cow<'f, [u8]>>, bool)> = None;
    let mut row = 0;
    while let Some(whole) = rows.get(row) {
        let mut line = if current.is_some() { whole } else { trim_start(whole, is_blank) };
        if line.first() == Some(&b'#') || line.iter().all(is_blank) {
            row += 1;
            continue;
        }
        // p4d accepts an indented tag for the first field of a form, but not for later ones.
        if current.is_none() || !line.first().is_some_and(is_blank) {
            let (name, rest) = tag(line, row)?;
            let is_text = *name == *TEXT_FIELD || (own_are_text && !is_quoted_field(&name));
            current = Some((fields.entry(name).or_default(), is_text));
            line = rest;
        }
        let Some((values, is_text)) = &mut current else { break };
        let (value, next_row) =
            if *is_text { (trim(line).into(), row + 1) } else { value(rows, row, line)? };
        if !value.is_empty() {
            values.push(value);
        }
        row = next_row;
    }
    Ok(fields)
}

/// Splits a form's line `Tag: value` into the tag in lower case and the rest.
fn tag(line: &[u8], row: usize) -> Result<(Cow<'_, [u8]>, &[u8]), String> {
    let colon = line.iter().position(|byte| *byte == b':');
    let parts = colon.and_then(|at| Some((line.get(..at)?, line.get(at + 1..)?)));
    let is_tag =
        |tag: &[u8]| !tag.is_empty() && !tag.iter().any(|byte| is_blank(byte) || *byte == b'#');
    let Some((tag, rest)) = parts.filter(|(tag, _)| is_tag(tag)) else {
        return Err(format!(
            "line {} ({}) is neither indented nor the start of a field (a name followed by a \
             colon, such as View:). Indent it if it belongs to the field above it, otherwise \
             remove it",
            row + 1,
            quoted(line)
        ));
    };
    let is_lower = !tag.iter().any(u8::is_ascii_uppercase);
    Ok((if is_lower { tag.into() } else { tag.to_ascii_lowercase().into() }, rest))
}

/// The start of a form's line for an error message; hidden characters are escaped.
fn quoted(line: &[u8]) -> String {
    visible_start(trim(line), true, MAX_QUOTED_BYTES)
}

/// Reads a form value that starts in `line`, a form's line without its tag or indentation; returns
/// the value and the next row. Quotes shield `#` and line ends until the next quote.
fn value<'f>(
    rows: &[&'f [u8]],
    row: usize,
    line: &'f [u8],
) -> Result<(Cow<'f, [u8]>, usize), String> {
    let (piece, mut inside) = until_comment(line, false);
    if !line.contains(&b'"') {
        return Ok((trim(piece).into(), row + 1));
    }
    let (mut pieces, mut next_row) = (vec![piece], row + 1);
    while inside {
        let Some(line) = rows.get(next_row) else {
            return Err(format!(
                "the quotation mark in line {} ({}) is left open; add a second one, or remove it",
                row + 1,
                quoted(line)
            ));
        };
        let (piece, is_open) = until_comment(line, inside);
        pieces.push(piece);
        (inside, next_row) = (is_open, next_row + 1);
    }
    let value = match *pieces {
        [piece] => trim_quoted(piece).into(),
        _ => trim_quoted(&pieces.join(&b'\n')).to_vec().into(),
    };
    Ok((value, next_row))
}

/// A form's line without its comment, and whether a quote is open at its end; `inside`: whether one
/// is open at its start.
fn until_comment(line: &[u8], mut inside: bool) -> (&[u8], bool) {
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b'"' => inside = !inside,
            b'#' if !inside => return (line.get(..at).unwrap_or_default(), false),
            _ => {}
        }
    }
    (line, inside)
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')
}

/// Blanks that p4d removes from the end of a quoted form value (observed with P4Python 2026.1).
fn is_last_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn trim_quoted(value: &[u8]) -> &[u8] {
    trim_end(trim_start(value, is_blank), is_last_blank)
}

fn trim(text: &[u8]) -> &[u8] {
    trim_end(trim_start(text, is_blank), is_blank)
}

fn trim_start(text: &[u8], is_blank: fn(&u8) -> bool) -> &[u8] {
    let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

fn trim_end(text: &[u8], is_blank: fn(&u8) -> bool) -> &[u8] {
    let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}
