//! The dictionary that a server with `triggers.io=1` writes to a trigger's standard input.
//!
//! The dictionary contains the trigger's variables (P4 Server Administrator Guide, triggers)
//! unaffected by word splitting, so the user-chosen options of the trigger line must agree with it.
//! Published scripts show one `name:value` per line; whether values are percent-encoded is
//! undocumented, so both readings are accepted. `worker/trigger_dictionary.py` does the same;
//! `tests/cases/dictionaries` tests both.

use crate::event::line_check::BrokenName;
use crate::event::trigger_options::{ARGS, END, count, value_of};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// The trigger line's options, apart from `--args=`, that are compared with the dictionary: the
/// option's name, p4d's variable for it, and whether the line always passes the value. A value that
/// the line need not pass may be empty there, unless the dictionary's value contains a quotation
/// mark or a NUL byte.
const VARIABLES: [(&str, &str, bool); 6] = [
    ("user", "user", true),
    ("client", "client", true),
    ("name", "formname", true),
    ("prog", "clientprog", true),
    ("version", "clientversion", false),
    ("cwd", "clientcwd", false),
];

/// The first option of an untampered trigger line of form 2 that the dictionary on the trigger's
/// standard input contradicts, with the dictionary's value; None if there is no contradiction.
#[must_use]
pub fn contradiction(words: &[OsString], dictionary: &[u8]) -> Option<BrokenName<'static>> {
    let name = VARIABLES.iter().find_map(|(option, variable, always)| {
        let value = words.iter().find_map(|word| value_of(option, word.as_bytes()))?;
        let entry = find_entry(dictionary, variable)?;
        let agrees = agrees_on(value, entry, variable, *always);
        (!agrees).then(|| BrokenName { option, value: decoded_value(trimmed_value(entry)).into() })
    });
    name.or_else(|| {
        let entry = find_entry(dictionary, "args")?;
        let agrees = agrees_on_arguments(words, entry);
        (!agrees)
            .then(|| BrokenName { option: ARGS, value: decoded_value(trimmed_value(entry)).into() })
    })
}

/// The value of a variable in the dictionary on a trigger's standard input; the first entry with
/// that name counts. None without an entry.
fn find_entry<'d>(dictionary: &'d [u8], variable: &str) -> Option<&'d [u8]> {
    dictionary.split(|byte| *byte == b'\n').find_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = line.get(..colon)?.trim_ascii();
        (name == variable.as_bytes()).then(|| line.get(colon + 1..)).flatten()
    })
}

fn agrees_on(value: &[u8], entry: &[u8], variable: &str, always: bool) -> bool {
    let is_left = value.strip_prefix(b"%").and_then(|rest| rest.strip_suffix(b"%"));
    if is_left == Some(variable.as_bytes()) {
        // A server that does not support a variable in a trigger line leaves `%name%` there, which
        // contradicts no entry of the dictionary.
        return true;
    }
    let readings = readings(entry);
    if value.is_empty() && !always {
        let breaks = |byte: &u8| matches!(byte, b'"' | b'\0');
        return !readings.iter().any(|reading| reading.iter().any(breaks));
    }
    readings.iter().any(|reading| reading == value)
}

/// Whether the text of a command's arguments in the dictionary agrees with that in the trigger
/// line, ignoring quotation marks, commas and white space. A line that lacks `--args=` or `--end=`
/// always agrees. With any other line, a dictionary text that contains `--args=` or `--end=` never
/// agrees; every other dictionary text agrees with an empty text in the line.
fn agrees_on_arguments(words: &[OsString], entry: &[u8]) -> bool {
    let text: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    let text = text.join(&b' ');
    let place = |name: &str| {
        (0..text.len()).find(|at| value_of(name, text.get(*at..).unwrap_or_default()).is_some())
    };
    let (Some(start), Some(end)) = (place(ARGS), place(END)) else {
        return true;
    };
    let text = text.get(start + ARGS.len() + 3..end).unwrap_or_default();
    let readings = readings(entry);
    if readings.iter().any(|reading| count(ARGS, reading) + count(END, reading) > 0) {
        return false;
    }
    let plain = without_lost_bytes(text);
    matches!(text, b"" | b" ") || readings.iter().any(|one| without_lost_bytes(one) == plain)
}

fn without_lost_bytes(text: &[u8]) -> Vec<u8> {
    let is_lost =
        |byte: &u8| matches!(byte, b'"' | b',' | b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r');
    text.iter().copied().filter(|byte| !is_lost(byte)).collect()
}

/// The possible readings of a value from the dictionary on a trigger's standard input: as it
/// stands, without the blank before it, also without the carriage return after it; each as it is
/// and with percent-encoding decoded.
fn readings(entry: &[u8]) -> [Vec<u8>; 6] {
    let [plain, bare, trimmed] = [entry, without_blank(entry), trimmed_value(entry)];
    [
        plain.to_vec(),
        bare.to_vec(),
        trimmed.to_vec(),
        decoded_value(plain),
        decoded_value(bare),
        decoded_value(trimmed),
    ]
}

fn trimmed_value(entry: &[u8]) -> &[u8] {
    without_blank(entry.strip_suffix(b"\r").unwrap_or(entry))
}

fn without_blank(text: &[u8]) -> &[u8] {
    text.strip_prefix(b" ").unwrap_or(text)
}

fn decoded_value(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let code = after
            .split_first_chunk()
            .filter(|_| *byte == b'%')
            .and_then(|(two, behind)| Some((number(two)?, behind)));
        let (byte, after) = code.unwrap_or((*byte, after));
        plain.push(byte);
        rest = after;
    }
    plain
}

fn number([high, low]: &[u8; 2]) -> Option<u8> {
    let digit =
        |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? * 16 + digit(low)?)
}
