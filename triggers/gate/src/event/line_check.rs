//! Checks whether the words of a trigger line are its options, in their order.
//!
//! p4d expands a line before it splits it into words, so a quotation mark in a user-chosen name can
//! merge or add words. A line with unexpected words counts as tampered with. Pairs of quotation
//! marks, which vanish without a trace, and a NUL byte after a forged end cannot be detected here;
//! therefore only the user's groups, which users cannot choose, identify a user reliably.

use crate::event::trigger_options::{
    ARGS, END, LINE_END, MAY_BE_ABSENT, USERS, count, holds_an_option, options_of, value_of,
};
use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

#[derive(Debug, Default)]
pub struct LineCheck<'a> {
    pub is_clean: bool,
    /// (name, value) pairs in the order of their words; in an intact line user-chosen values, too.
    pub certain_options: Vec<(&'static str, &'a [u8])>,
    /// Number of expected options before `--args=`, the end marker or the first unexpected word.
    pub before_args: usize,
    /// None if unknown, or if the line is intact.
    pub broken_name: Option<BrokenName<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenName<'a> {
    pub option: &'static str,
    /// Quotation marks may be missing, because p4d removes them when it splits a line into words.
    pub value: Cow<'a, [u8]>,
}

pub fn check<'a>(event: &[u8], words: &'a [OsString]) -> LineCheck<'a> {
    let options = options_of(event);
    let mut certain_options: Vec<(&'static str, &'a [u8])> = Vec::with_capacity(options.len());
    let mut expected = options.iter().copied().filter(|name| *name != ARGS && *name != END);
    let intact = expected.all(|name| {
        match value_of(name, word(words, certain_options.len())) {
            Some(value) if is_plain(value) => certain_options.push((name, value)),
            value => return value.is_none() && MAY_BE_ABSENT.contains(&name),
        }
        true
    });
    let before_args = certain_options.len();
    let is_clean = intact
        && ends_well(words.get(before_args..).unwrap_or_default(), &options)
        && is_whole(words, &options);
    if !is_clean {
        let count = certain_count(&certain_options, words, &options);
        certain_options.truncate(count);
    }
    let broken_name = if is_clean { None } else { broken_name(words, &options) };
    LineCheck { is_clean, certain_options, before_args, broken_name }
}

/// The last user-chosen value up to and including the first unexpected word. A user who forges the
/// following words can shift this to a later value, so it is for messages only.
fn broken_name<'a>(words: &'a [OsString], options: &[&'static str]) -> Option<BrokenName<'a>> {
    let mut words = words.iter().map(|word| word.as_bytes()).peekable();
    let mut last = None;
    for (at, option) in options.iter().enumerate() {
        let Some(value) = words.peek().and_then(|word| value_of(option, word)) else {
            if MAY_BE_ABSENT.contains(option) {
                continue;
            }
            break;
        };
        words.next();
        if USERS.contains(option) || *option == ARGS {
            let value = value_before(value, options.get(at + 1).copied().unwrap_or_default());
            last = Some(BrokenName { option, value: value.into() });
        }
        if !is_plain(value) {
            break;
        }
    }
    last
}

/// Without the next option, if a quotation mark has merged it into the value.
fn value_before<'a>(value: &'a [u8], next_option: &str) -> &'a [u8] {
    let start = [b" --", next_option.as_bytes(), b"="].concat();
    let end = value.windows(start.len()).position(|part| part == start);
    let value = value.get(..end.unwrap_or(value.len())).unwrap_or(value);
    value.strip_suffix(b" ").unwrap_or(value)
}

fn is_plain(value: &[u8]) -> bool {
    !value.contains(&b'"') && !holds_an_option(value)
}

fn ends_well(rest: &[OsString], options: &[&str]) -> bool {
    match options.contains(&ARGS) {
        true => value_of(ARGS, word(rest, 0)).is_some(),
        false => rest.len() == 1 && value_of(END, word(rest, 0)).is_some(),
    }
}

fn is_whole(words: &[OsString], options: &[&str]) -> bool {
    has_its_end(words)
        && count_in_words(END, words) == 1
        && count_in_words(ARGS, words) == usize::from(options.contains(&ARGS))
}

/// Only a word with a user-chosen value can be uncertain. It is certain if the next word is the
/// option that follows it in an intact line, this option occurs nowhere else in the line, and the
/// line has its end marker.
fn certain_count(certain: &[(&'static str, &[u8])], words: &[OsString], options: &[&str]) -> usize {
    let is_followed = |at: usize, name: &str| {
        let next = options.iter().position(|option| *option == name).map(|place| place + 1);
        let next = next.and_then(|place| options.get(place)).copied().unwrap_or_default();
        value_of(next, word(words, at + 1)).is_some()
            && count_in_words(next, words) == 1
            && has_its_end(words)
    };
    let is_uncertain =
        |(at, (name, _)): (usize, &(&str, &[u8]))| USERS.contains(name) && !is_followed(at, name);
    certain.iter().enumerate().position(is_uncertain).unwrap_or(certain.len())
}

/// Empty if there are fewer.
fn word(words: &[OsString], at: usize) -> &[u8] {
    words.get(at).map_or(&b""[..], |word| word.as_bytes())
}

fn has_its_end(words: &[OsString]) -> bool {
    words.last().is_some_and(|word| word.as_bytes().ends_with(LINE_END))
}

fn count_in_words(name: &str, words: &[OsString]) -> usize {
    words.iter().map(|word| count(name, word.as_bytes())).sum()
}
