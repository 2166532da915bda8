//! Parser of the arguments that p4d passes from a p4warden line of the triggers table, whatever the
//! form of the line.
//!
//! p4d expands `%variables%` before it splits words (`StrOps::Expand` and `StrOps::Words`,
//! support/strops.cc in the Perforce C++ API), so a value that a user chooses can break out of its
//! word and add further words.
//!
//! A line begins with `--line=FORM.DIGEST`, and the sequence of its options is fixed; only those
//! that older servers drop may be missing. A line whose words differ from that sequence counts as
//! tampered with; only its options that are certain are used.
//!
//! A line with no or another form was not written by this release. Of it only the options of
//! p4warden at its start are read, for the answer to a failure.

use crate::event::line_check::{BrokenName, LineCheck, check};
use crate::event::trigger_options::{ALWAYS_EXPANDED, ARGS, FORM, LINE_END, USERS, value_of};
use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

const OF_ANY_FORM: [&str; 4] = ["line", "home", "on-error", "triggers-io"];

/// An option that p4d left empty counts as absent.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'a> {
    /// Kind of event, such as `command` or `form-save`.
    pub event: &'a [u8],
    pub has_known_form: bool,
    /// Digest of the set of lines to which this line belongs; None if it states none.
    pub lines: Option<&'a [u8]>,
    /// Words are unexpected or contradict the dictionary; uncertain options then count as absent.
    pub is_tampered: bool,
    /// None if unknown, or if the line is intact.
    pub broken_name: Option<BrokenName<'a>>,
    pub words: &'a [OsString],
    options: Vec<(&'static str, &'a [u8])>,
    args: Option<(&'a [u8], &'a [OsString])>,
}

impl<'a> Arguments<'a> {
    /// Without the program's own name; never fails.
    pub fn parse(words: &'a [OsString]) -> Self {
        let event = words.first().map_or(&b""[..], |word| word.as_bytes());
        let words = words.get(1..).unwrap_or_default();
        let line = words.first().and_then(|word| value_of("line", word.as_bytes()));
        match line.map(form_and_digest) {
            Some((FORM, lines)) => Self::of_known_form(event, words, lines),
            line => Arguments {
                event,
                lines: line.and_then(|(_, lines)| lines),
                words,
                options: own_options(words),
                ..Arguments::default()
            },
        }
    }

    pub fn of_event(event: &'a [u8]) -> Self {
        Arguments { event, ..Arguments::default() }
    }

    /// None if absent, empty or unexpanded.
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.passed(name).filter(|value| !value.is_empty())
    }

    /// None if absent or unexpanded as `%name%`.
    pub fn passed(&self, name: &str) -> Option<&'a [u8]> {
        let (_, value) = self.options.iter().find(|(option, _)| *option == name)?;
        let is_known = ALWAYS_EXPANDED.contains(&name) || !is_unexpanded(value);
        is_known.then_some(value)
    }

    /// None if the trigger line does not pass it or is tampered with.
    ///
    /// A text that is empty or looks like `%name%` is valid, because a user may type either. In a
    /// trigger line the text is followed by one blank, which is removed; an empty value, without
    /// this blank, counts as not passed.
    pub fn args(&self) -> Option<Cow<'a, [u8]>> {
        let (value, rest) = self.args?;
        if let [end] = rest
            && end.as_bytes() == LINE_END
        {
            return (!value.is_empty()).then(|| without_blank(value).into());
        }
        let text = join(value, rest);
        let text = without_blank(text.strip_suffix(LINE_END)?);
        (!text.is_empty()).then(|| without_blank(text).to_vec().into())
    }

    /// With `triggers.io=1` the server expects each reply as a dictionary.
    pub fn triggers_io(&self) -> bool {
        self.get("triggers-io") == Some(b"1")
    }

    /// Without the user-chosen options and the command's arguments.
    pub fn as_tampered(mut self, broken_name: Option<BrokenName<'a>>) -> Self {
        self.options.retain(|(name, _)| !USERS.contains(name));
        Arguments { is_tampered: true, broken_name, args: None, ..self }
    }

    fn of_known_form(event: &'a [u8], words: &'a [OsString], lines: Option<&'a [u8]>) -> Self {
        let LineCheck { is_clean, certain_options, before_args, broken_name } = check(event, words);
        let args = words.get(before_args).and_then(|word| value_of(ARGS, word.as_bytes()));
        let rest = words.get(before_args + 1..).unwrap_or_default();
        Arguments {
            event,
            has_known_form: true,
            lines,
            is_tampered: !is_clean,
            broken_name,
            words,
            options: certain_options,
            args: args.filter(|_| is_clean).map(|value| (value, rest)),
        }
    }
}

fn own_options(words: &[OsString]) -> Vec<(&'static str, &[u8])> {
    let words = words.iter().map(|word| word.as_bytes());
    words
        .map_while(|word| {
            OF_ANY_FORM.into_iter().find_map(|name| Some((name, value_of(name, word)?)))
        })
        .collect()
}

/// `1.1a2b3c4d`: the form of the line and the digest of the set of lines.
fn form_and_digest(value: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut parts = value.splitn(2, |byte| *byte == b'.');
    (parts.next().unwrap_or_default(), parts.next())
}

fn without_blank(text: &[u8]) -> &[u8] {
    text.strip_suffix(b" ").unwrap_or(text)
}

pub fn of_this_process() -> Vec<OsString> {
    std::env::args_os().skip(1).collect()
}

/// `fstat` for `user-fstat`.
pub fn command_name(command: &[u8]) -> &[u8] {
    command.strip_prefix(b"user-").unwrap_or(command)
}

fn join(value: &[u8], words: &[OsString]) -> Vec<u8> {
    let words = words.iter().map(|word| word.as_bytes());
    std::iter::once(value).chain(words).collect::<Vec<_>>().join(&b' ')
}

/// A server leaves variables unexpanded that it does not support.
fn is_unexpanded(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"%").and_then(|rest| rest.strip_suffix(b"%"));
    inner.is_some_and(|name| !name.is_empty() && !name.contains(&b'%'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(OsString::from).collect()
    }

    #[test]
    fn of_a_line_of_another_form_only_the_own_options_at_its_start_are_read() {
        for line in ["--line=2", "--line=2.1a2b3c4d", "--home=/h"] {
            let rest = ["--home=/h", "--on-error=deny", "--user=ann", "--triggers-io=1"];
            let line = words(&[&["command", line][..], &rest].concat());
            let arguments = Arguments::parse(&line);
            assert!(!arguments.has_known_form);
            assert_eq!(arguments.get("home"), Some(&b"/h"[..]));
            assert_eq!(arguments.get("on-error"), Some(&b"deny"[..]));
            assert_eq!(arguments.get("user"), None);
            assert_eq!(arguments.get("triggers-io"), None);
            assert_eq!(arguments.args(), None);
        }
    }

    #[test]
    fn command_names_are_without_the_prefix_user() {
        assert_eq!(command_name(b"user-fstat"), b"fstat");
        assert_eq!(command_name(b"fstat"), b"fstat");
    }
}
