//! An event that is told of, as a trigger would get it: its names put into the line for commands, and
//! that split into words as p4d splits it (`StrOps::Words`, support/strops.cc in the Perforce C++ API).
//!
//! So whoever rehearses hears of a name with a quotation mark what enforcing will say of it.

use crate::event::arguments::Arguments;
use crate::event::command_event::Event;
use crate::event::trigger_options::{
    ARGS, END, FORM, LINE_END, count, holds_an_option, options_of,
};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// The words that a trigger gets of an event that does not arrive as it is.
#[derive(Debug)]
pub struct Split {
    words: Vec<OsString>,
    args: Option<Vec<u8>>,
}

impl Split {
    /// The words of a command event; None where all arrives as it is.
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
        Some(Split { words, args })
    }

    /// The event as the words tell it.
    #[must_use]
    pub fn event<'e>(&'e self, event: Event<'e>) -> Event<'e> {
        let given = Arguments::parse(&self.words);
        Event {
            user: given.get("user"),
            client: given.get("client"),
            version: given.get("version"),
            prog: given.get("prog"),
            directory: given.get("cwd"),
            args: self.args.as_deref(),
            tampered: given.tampered,
            ..event
        }
    }
}

/// The line for commands, its variables expanded.
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

/// Splits a line into words: a quotation mark switches quoting on or off anywhere in a word, two
/// together are one that is meant, and a NUL ends it all.
fn split(line: &[u8]) -> Vec<OsString> {
    let end = line.iter().position(|byte| *byte == b'\0').unwrap_or(line.len());
    let mut rest = line.get(..end).unwrap_or_default();
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<Vec<u8>>, false);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r', _) if !quoted => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (b'"', Some(b'"')) => {
                word.get_or_insert_default().push(b'"');
                rest = after.get(1..).unwrap_or_default();
            }
            (b'"', _) => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            _ => word.get_or_insert_default().push(*byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}
