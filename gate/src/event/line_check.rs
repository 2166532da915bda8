//! Whether the words of a trigger line of form 2 are exactly the ones that the line asks for.
//!
//! p4d expands a line before it splits it into words, so a quotation mark in a name that a user
//! chooses can glue words together or make new ones. A line whose words are not as they should be is
//! tampered. No check sees quotation marks in pairs, which vanish without a trace, nor a NUL byte
//! behind a forged end; so identity rests on groups. `worker/line_check.py` is the same, and
//! `tests/cases/trigger_lines` holds both to it.

use crate::event::trigger_options::{
    ARGS, END, LINE_END, MAY_BE_ABSENT, USERS, count, holds_an_option, options_of, value_of,
};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// The parts of a line that are certain.
#[derive(Debug, Default)]
pub struct Checked<'a> {
    /// Whether each word is the one it should be.
    pub is_clean: bool,
    /// The options that are certain, in the order of their words.
    pub known: Vec<(&'static str, &'a [u8])>,
    /// How many words stand before the text of a command's arguments.
    pub before_args: usize,
}

/// Checks the words behind the event.
#[must_use]
pub fn check<'a>(event: &[u8], words: &'a [OsString]) -> Checked<'a> {
    let options = options_of(event);
    let mut known: Vec<(&'static str, &'a [u8])> = Vec::with_capacity(options.len());
    let mut intact = true;
    let mut expected = options.iter().copied().filter(|name| *name != ARGS && *name != END);
    let mut next = expected.next();
    while let (Some(name), true) = (next, intact) {
        let word = words.get(known.len()).map_or(&b""[..], |word| word.as_bytes());
        match value_of(name, word) {
            Some(value) if is_plain(value) => known.push((name, value)),
            None if MAY_BE_ABSENT.contains(&name) => {}
            _ => {
                intact = false;
                continue;
            }
        }
        next = expected.next();
    }
    let before_args = known.len();
    let is_clean = intact
        && ends_well(words.get(before_args..).unwrap_or_default(), options)
        && is_whole(words, options);
    if !is_clean {
        let sure = trusted(&known, words, options);
        known.truncate(sure);
    }
    Checked { is_clean, known, before_args }
}

/// Whether a value holds nothing that is not its own.
fn is_plain(value: &[u8]) -> bool {
    !value.contains(&b'"') && !holds_an_option(value)
}

/// Whether the words behind the names are a command's arguments and the end, or the end alone.
fn ends_well(rest: &[OsString], options: &[&str]) -> bool {
    let first = rest.first().map_or(&b""[..], |word| word.as_bytes());
    if options.contains(&ARGS) { value_of(ARGS, first).is_some() } else { rest.len() == 1 }
}

/// Whether the line has its end, and nothing that begins its last parts a second time.
fn is_whole(words: &[OsString], options: &[&str]) -> bool {
    has_its_end(words)
        && total(END, words) == 1
        && total(ARGS, words) == usize::from(options.contains(&ARGS))
}

/// How many of the words of a tampered line are certain: those before the break.
///
/// The server's own words always are. One with a name that a user chose is where the next word is
/// the line's own: there, and nowhere else in the line, does its option stand.
fn trusted(known: &[(&'static str, &[u8])], words: &[OsString], options: &[&str]) -> usize {
    let is_followed = |at: usize, name: &str| {
        let next = options.iter().position(|option| *option == name).map(|place| place + 1);
        let next = next.and_then(|place| options.get(place)).copied().unwrap_or_default();
        let word = words.get(at + 1).map_or(&b""[..], |word| word.as_bytes());
        value_of(next, word).is_some() && total(next, words) == 1 && has_its_end(words)
    };
    let broken =
        |(at, (name, _)): (usize, &(&str, &[u8]))| USERS.contains(name) && !is_followed(at, name);
    known.iter().enumerate().position(broken).unwrap_or(known.len())
}

fn has_its_end(words: &[OsString]) -> bool {
    words.last().is_some_and(|word| word.as_bytes().ends_with(LINE_END))
}

fn total(name: &str, words: &[OsString]) -> usize {
    words.iter().map(|word| count(name, word.as_bytes())).sum()
}
