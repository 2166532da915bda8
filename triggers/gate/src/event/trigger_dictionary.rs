//! The dictionary that a server with `triggers.io=1` writes to a trigger's standard input.
//!
//! The dictionary contains the trigger's variables (P4 Server Administrator Guide, triggers)
//! unaffected by word splitting, so the user-chosen options of the trigger line must agree with it.
//! Published scripts show one `name:value` per line; whether values are percent-encoded is
//! undocumented, so both readings are accepted. `tests/cases/dictionaries` tests that.
//!
//! A command's arguments are read from here, never from the line: the line could not pass more than
//! 128 KiB of them. `tests/cases/dictionary_arguments` tests that.

use crate::event::line_check::BrokenName;
use crate::event::trigger_options::{ARGS, value_of};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// The trigger line's options that are compared with the dictionary: the option's name, p4d's
/// variable for it, and whether the line always passes the value. A value that the line need not
/// pass may be empty there, unless the dictionary's value contains a quotation mark or a NUL byte.
const VARIABLES: [(&str, &str, bool); 6] = [
    ("user", "user", true),
    ("client", "client", true),
    ("name", "formname", true),
    ("prog", "clientprog", true),
    ("version", "clientversion", false),
    ("cwd", "clientcwd", false),
];

/// The variables that p4d documents for every command trigger (`p4 help triggers`). A line of the
/// dictionary that begins with another name continues the value before it, because a user may put a
/// line end into an argument.
const OF_COMMANDS: [&[u8]; 27] = [
    ARGS.as_bytes(),
    b"argc",
    b"argsQuoted",
    b"client",
    b"clientcwd",
    b"clientip",
    b"clientprog",
    b"clientversion",
    b"command",
    b"groups",
    b"maxLockTime",
    b"maxOpenFiles",
    b"maxResults",
    b"maxScanRows",
    b"peerip",
    b"serverVersion",
    b"serverid",
    b"serverip",
    b"servername",
    b"serverpid",
    b"serverport",
    b"serverroot",
    b"serverservices",
    ACTION,
    b"triggerMeta_name",
    b"triggerMeta_trigger",
    b"user",
];
/// Those of forms and submits. Commands lack them, so that a line of an argument cannot begin one.
const OF_FORMS_AND_SUBMITS: [&[u8]; 4] = [b"changelist", b"formfile", b"formname", b"formtype"];
/// The variable with the command of the trigger line as the table has it, `%quote%` included.
const ACTION: &[u8] = b"triggerMeta_action";

/// Whether a value forges an entry: a variable occurs twice. The name of the arguments, if they may
/// have done it.
pub fn forgery(dictionary: &[u8], is_of_command: bool) -> Option<Option<BrokenName<'static>>> {
    let others = if is_of_command { &[][..] } else { &OF_FORMS_AND_SUBMITS };
    let entries = entries(dictionary, others);
    let mut names: Vec<_> = entries.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    if names.windows(2).all(|two| two.first() != two.last()) {
        return None;
    }
    let args = entries.iter().find(|entry| entry.name == ARGS.as_bytes());
    Some(args.map(|entry| BrokenName {
        option: ARGS,
        value: trimmed_value(entry.value).to_vec().into(),
    }))
}

pub fn contradiction(words: &[OsString], dictionary: &[u8]) -> Option<BrokenName<'static>> {
    VARIABLES.iter().find_map(|(option, variable, always)| {
        let value = words.iter().find_map(|word| value_of(option, word.as_bytes()))?;
        let entry = find_entry(dictionary, variable)?;
        let agrees = agrees_on(value, entry, variable, *always);
        (!agrees).then(|| BrokenName { option, value: decoded_value(trimmed_value(entry)).into() })
    })
}

/// Joined by blanks, without quotation marks; None if the dictionary does not have them.
pub fn arguments(words: &[OsString], dictionary: &[u8]) -> Option<Vec<u8>> {
    let entries = entries(dictionary, &[]);
    let named = |name: &[u8]| entries.iter().find(|entry| entry.name == name);
    let args = named(ARGS.as_bytes())?.value;
    let args = args.strip_suffix(b"\r").unwrap_or(args);
    let args = if has_blanks(&entries) { without_blank(args) } else { args };
    let action = named(ACTION).map(|entry| entry.value);
    let text = if is_encoded(words, dictionary, action) { &decoded_value(args) } else { args };
    Some(text.iter().copied().filter(|byte| *byte != b'"').collect())
}

/// Whether a blank follows each colon. The arguments do not tell: their first word may be empty.
fn has_blanks(entries: &[Entry<'_>]) -> bool {
    let mut others = entries.iter().filter(|entry| entry.name != ARGS.as_bytes());
    others.all(|entry| entry.value.trim_ascii().is_empty() || entry.value.starts_with(b" "))
}

/// Whether values are percent-encoded, as the value with a percent sign in both line and dictionary
/// shows. Without one they count as plain: then an encoded path names as many directories as the
/// plain one, so that no rule refuses more.
fn is_encoded(words: &[OsString], dictionary: &[u8], action: Option<&[u8]>) -> bool {
    let has =
        |part: &[u8]| action.is_some_and(|text| text.windows(part.len()).any(|at| at == part));
    if has(b"%25quote%25") || has(b"%quote%") {
        return has(b"%25quote%25");
    }
    VARIABLES.iter().any(|(option, variable, _)| {
        let value = words.iter().find_map(|word| value_of(option, word.as_bytes()));
        let entry = find_entry(dictionary, variable).map(trimmed_value);
        value
            .zip(entry)
            .is_some_and(|(value, entry)| entry != value && decoded_value(entry) == value)
    })
}

struct Entry<'d> {
    name: &'d [u8],
    value: &'d [u8],
}

/// The entries of the variables of every command, and of `others`.
fn entries<'d>(dictionary: &'d [u8], others: &[&[u8]]) -> Vec<Entry<'d>> {
    let is_known = |name| OF_COMMANDS.contains(&name) || others.contains(&name);
    let (mut starts, mut start) = (Vec::new(), 0);
    for line in dictionary.split_inclusive(|byte| *byte == b'\n') {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        if name.len() < line.len() && is_known(name.trim_ascii()) {
            starts.push((start, start + name.len()));
        }
        start += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([dictionary.len()]);
    let entry = |((start, colon), end): (&(usize, usize), usize)| {
        let value = dictionary.get(colon + 1..end)?;
        let name = dictionary.get(*start..*colon)?.trim_ascii();
        Some(Entry { name, value: value.strip_suffix(b"\n").unwrap_or(value) })
    };
    starts.iter().zip(ends).filter_map(entry).collect()
}

/// The first entry with that name counts.
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

/// Without the blank before it, the carriage return after it, and percent-encoding; or with them.
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
