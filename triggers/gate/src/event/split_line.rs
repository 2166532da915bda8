//! Simulation of how p4d would pass a recorded or described command event to a trigger: fills the
//! event's values into the trigger line for commands and splits the line as p4d does
//! (`StrOps::Words`, support/strops.cc in the Perforce C++ API).
//!
//! A rehearsal thus gives the same result as enforcement for a value with a quotation mark.

use crate::event::arguments::Arguments;
use crate::event::command_event::Event;
use crate::event::trigger_options::{
    ARGS, END, FORM, LINE_END, count, holds_an_option, options_of,
};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// Exists only for events that p4d's splitting of the line may change.
#[derive(Debug)]
pub struct SplitLine {
    words: Vec<OsString>,
    args: Option<Vec<u8>>,
}

impl SplitLine {
    /// None if splitting the line certainly changes nothing.
    #[must_use]
    pub fn of(event: &Event<'_>) -> Option<Self> {
        let names = [event.user, event.client, event.version, event.prog, event.directory];
        let breaks = |text: &[u8]| text.iter().any(|byte| matches!(byte, b'"' | b'\0'));
        let odd = names.iter().flatten().any(|name| breaks(name) || holds_an_option(name));
        let args = event.args.unwrap_or_default();
        if !odd && !breaks(args) && count(ARGS, args) + count(END, args) == 0 {
            return None;
        }
        let words = split(&line(event));
        let args = Arguments::parse(&words).args().map(std::borrow::Cow::into_owned);
        Some(SplitLine { words, args })
    }

    #[must_use]
    pub fn event<'e>(&'e self, event: Event<'e>) -> Event<'e> {
        let arguments = Arguments::parse(&self.words);
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

/// Options that do not matter to the splitting are empty.
fn line(event: &Event<'_>) -> Vec<u8> {
    let mut line = b"command".to_vec();
    for name in options_of(b"command") {
        line.extend_from_slice(b" \"--");
        line.extend_from_slice(name.as_bytes());
        line.push(b'=');
        line.extend_from_slice(match *name {
            "line" => FORM,
            "user" => event.user.unwrap_or_default(),
            "client" => event.client.unwrap_or_default(),
            "version" => event.version.unwrap_or_default(),
            "prog" => event.prog.unwrap_or_default(),
            "cwd" => event.directory.unwrap_or_default(),
            ARGS => event.args.unwrap_or_default(),
            END => LINE_END.last_chunk::<1>().map_or(b"", |end| end),
            _ => b"",
        });
        if *name == ARGS && event.args.is_some() {
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
