//! Simulation of how p4d would pass a recorded or described event to a trigger: fills the event's
//! values into the trigger line and splits the line as p4d does
//! (`StrOps::Words`, support/strops.cc in the Perforce C++ API).
//!
//! A rehearsal thus gives the same result as enforcement for a value with a quotation mark.

use crate::event::arguments::Arguments;
use crate::event::command_event::Event;
use crate::event::form_event::FormEvent;
use crate::event::trigger_options::{
    ARGS, END, FORM, LINE_END, count, holds_an_option, options_of,
};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

#[derive(Debug)]
pub struct SplitLine {
    /// None if splitting the line certainly changes nothing.
    words: Option<Vec<OsString>>,
    args: Option<Vec<u8>>,
}

impl SplitLine {
    pub fn of(event: &Event<'_>) -> Self {
        let names = [event.user, event.client, event.version, event.prog, event.directory];
        let odd = names.iter().flatten().any(|name| is_odd(name));
        let args = event.args.unwrap_or_default();
        if !odd && !breaks(args) && count(ARGS, args) + count(END, args) == 0 {
            return SplitLine { words: None, args: None };
        }
        let words = split(&line(b"command", |name| match name {
            "user" => event.user,
            "client" => event.client,
            "version" => event.version,
            "prog" => event.prog,
            "cwd" => event.directory,
            ARGS => event.args,
            _ => None,
        }));
        let args = Arguments::parse(&words).args().map(std::borrow::Cow::into_owned);
        SplitLine { words: Some(words), args }
    }

    pub fn of_form(event: &FormEvent<'_>) -> Self {
        let names = [event.user, event.client, event.name, event.prog];
        let words = names.iter().flatten().any(|name| is_odd(name)).then(|| {
            split(&line(event.kind.word().as_bytes(), |name| match name {
                "user" => event.user,
                "client" => event.client,
                "name" => event.name,
                "prog" => event.prog,
                _ => None,
            }))
        });
        SplitLine { words, args: None }
    }

    pub fn form_event<'e>(&'e self, event: FormEvent<'e>) -> FormEvent<'e> {
        let Some(words) = &self.words else { return event };
        let arguments = Arguments::parse(words);
        let has_name = options_of(event.kind.word().as_bytes()).contains(&"name");
        FormEvent {
            user: arguments.get("user"),
            client: arguments.get("client"),
            name: if has_name { arguments.get("name") } else { event.name },
            prog: arguments.get("prog"),
            form: event.form.filter(|_| !arguments.is_tampered),
            is_tampered: arguments.is_tampered,
            broken_name: arguments.broken_name,
            ..event
        }
    }

    pub fn event<'e>(&'e self, event: Event<'e>) -> Event<'e> {
        let Some(words) = &self.words else { return event };
        let arguments = Arguments::parse(words);
        Event {
            user: arguments.get("user"),
            client: arguments.get("client"),
            version: arguments.get("version"),
            prog: arguments.get("prog"),
            directory: arguments.get("cwd"),
            args: self.args.as_deref(),
            is_tampered: arguments.is_tampered,
            broken_name: arguments.broken_name,
            ..event
        }
    }
}

fn breaks(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'"' | b'\0'))
}

fn is_odd(name: &[u8]) -> bool {
    breaks(name) || holds_an_option(name)
}

/// Options that do not matter to the splitting are empty.
fn line<'e>(event: &[u8], value_of: impl Fn(&str) -> Option<&'e [u8]>) -> Vec<u8> {
    let mut line = event.to_vec();
    for name in options_of(event) {
        let value = value_of(name);
        line.extend_from_slice(b" \"--");
        line.extend_from_slice(name.as_bytes());
        line.push(b'=');
        line.extend_from_slice(match name {
            "line" => FORM,
            END => LINE_END.last_chunk::<1>().map_or(b"", |end| end),
            _ => value.unwrap_or_default(),
        });
        if name == ARGS && value.is_some() {
            line.push(b' ');
        }
        line.push(b'"');
    }
    line
}

/// Splits a trigger line into words as p4d does: white space separates words unless it is quoted, a
/// quotation mark anywhere switches quoting on or off, two adjacent marks are one literal mark, and
/// a NUL byte ends the line.
fn split(line: &[u8]) -> Vec<OsString> {
    let end = line.iter().position(|byte| *byte == b'\0').unwrap_or(line.len());
    let mut rest = line.get(..end).unwrap_or_default();
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<Vec<u8>>, false);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r', _) if !is_quoted => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (b'"', Some(b'"')) => {
                word.get_or_insert_default().push(b'"');
                rest = after.get(1..).unwrap_or_default();
            }
            (b'"', _) => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            _ => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}
