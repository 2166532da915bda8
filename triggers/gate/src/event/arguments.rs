//! Parser of the arguments that p4d passes from a p4warden line of the triggers table, whatever the
//! form of the line.
//!
//! p4d expands `%variables%` before it splits words (`StrOps::Expand` and `StrOps::Words`,
//! support/strops.cc in the Perforce C++ API), so a value that a user chooses can break out of its
//! word and add further words.
//!
//! The options of a line of form 2 begin with `--line=2.DIGEST`, and their sequence is fixed; only
//! the two options for the server's load may be missing. A line whose words differ from that
//! sequence counts as tampered with; only its options that are certain are used.
//!
//! Lines of form 1 have no `--line=`. Connections opened before an upgrade continue to use them.
//! Rules for reading them, and lines of a later form: options are found by name; after a user's
//! name that broke out of its word, or the first option in `USERS_OF_FORM_1`, only options in
//! `USERS_OF_FORM_1` and `--args=` are accepted; the first occurrence of an option counts, even if
//! empty; other words are ignored; `--args=` takes the rest of the line.

use crate::event::line_check::{BrokenName, LineCheck, check};
use crate::event::trigger_options::{ARGS, FORM, LINE_END, USERS, value_of};
use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

const TRUSTED_OPTIONS_OF_FORM_1: [&str; 12] = [
    "home",
    "on-error",
    "triggers-io",
    "type",
    "form",
    "user",
    "ip",
    "groups",
    "command",
    "change",
    "pressure-cpu",
    "pressure-mem",
];
const USERS_OF_FORM_1: [&str; 5] = ["client", "name", "version", "prog", "cwd"];

/// The form of p4warden's trigger line, that is, the version of the layout of its options, stated
/// by its option `--line=`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineForm {
    /// Layout of a trigger line of form 1, without `--line=`, written by an early release of
    /// p4warden.
    #[default]
    One,
    /// Layout of a trigger line of form 2, which this release writes.
    Two,
    /// Layout of a trigger line that this release does not know, because a later release wrote the
    /// line.
    Later,
}

/// The event and the options that p4d passed from a trigger line; an option that p4d left empty
/// counts as absent.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'a> {
    /// The first word that p4d passes from the trigger line: the kind of event, such as `command`
    /// or `form-save`.
    pub event: &'a [u8],
    /// The layout of the trigger line's options, called the form of the line: 1, 2 or a later one.
    pub line: LineForm,
    /// The digest of the set of p4warden's trigger lines to which this line belongs; None if the
    /// line states none, like a line of an older release.
    pub lines: Option<&'a [u8]>,
    /// Whether the trigger line counts as tampered with: its words are not the expected ones, or
    /// contradict the dictionary on standard input. Options that are uncertain then count as
    /// absent.
    pub is_tampered: bool,
    /// The user-chosen value that seems to have broken the trigger line apart; None if unknown, or
    /// if the line is intact.
    pub broken_name: Option<BrokenName<'a>>,
    /// The words of the trigger line after the event's name.
    pub words: &'a [OsString],
    options: Vec<(&'static str, &'a [u8])>,
    args: Option<(&'a [u8], &'a [OsString])>,
}

impl<'a> Arguments<'a> {
    /// Parses the command-line arguments of a trigger process, without the program's own name;
    /// never fails.
    #[must_use]
    pub fn parse(words: &'a [OsString]) -> Self {
        let event = words.first().map_or(&b""[..], |word| word.as_bytes());
        let words = words.get(1..).unwrap_or_default();
        let line = words.first().and_then(|word| value_of("line", word.as_bytes()));
        let line = match line.map(form_and_digest) {
            None => LineForm::One,
            Some((FORM, lines)) => return Self::read_form_2(event, words, lines),
            Some(_) => LineForm::Later,
        };
        let mut arguments = Arguments { event, line, words, ..Arguments::default() };
        arguments.read_form_1();
        arguments
    }

    /// Creates trigger arguments that consist of an event's name only, without options.
    #[must_use]
    pub fn of_event(event: &'a [u8]) -> Self {
        Arguments { event, ..Arguments::default() }
    }

    /// The value of an option of the trigger line; None if the option is absent, empty or
    /// unexpanded as `%name%`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        let (_, value) = self.options.iter().find(|(option, _)| *option == name)?;
        (!value.is_empty() && !is_unexpanded(value)).then_some(value)
    }

    /// The text of the user's command arguments (`%args%`); None if the trigger line does not pass
    /// it or is tampered with.
    ///
    /// A text that is empty or looks like `%name%` is valid, because a user may type either. In a
    /// trigger line of form 2 the text is followed by one blank, which is removed; an empty value,
    /// without this blank, counts as not passed.
    #[must_use]
    pub fn args(&self) -> Option<Cow<'a, [u8]>> {
        let (value, rest) = self.args?;
        match (self.line, rest) {
            (LineForm::Two, [end]) if end.as_bytes() == LINE_END => {
                (!value.is_empty()).then(|| without_blank(value).into())
            }
            (LineForm::Two, _) => {
                let text = join(value, rest);
                let text = without_blank(text.strip_suffix(LINE_END)?);
                (!text.is_empty()).then(|| without_blank(text).to_vec().into())
            }
            (_, []) => Some(value.into()),
            _ => Some(join(value, rest).into()),
        }
    }

    /// Whether the trigger line was written for a server with `triggers.io=1`, which expects each
    /// reply as a dictionary.
    #[must_use]
    pub fn triggers_io(&self) -> bool {
        self.get("triggers-io") == Some(b"1")
    }

    /// Returns the trigger arguments without the user-chosen options and the command's arguments,
    /// marked as tampered with; `broken_name` is the user-chosen value that seems to have broken the
    /// trigger line apart.
    #[must_use]
    pub fn as_tampered(mut self, broken_name: BrokenName<'a>) -> Self {
        self.options.retain(|(name, _)| !USERS.contains(name));
        Arguments { is_tampered: true, broken_name: Some(broken_name), args: None, ..self }
    }

    fn read_form_2(event: &'a [u8], words: &'a [OsString], lines: Option<&'a [u8]>) -> Self {
        let LineCheck { is_clean, certain_options, before_args, broken_name } = check(event, words);
        let args = words.get(before_args).and_then(|word| value_of(ARGS, word.as_bytes()));
        let rest = words.get(before_args + 1..).unwrap_or_default();
        Arguments {
            event,
            line: LineForm::Two,
            lines,
            is_tampered: !is_clean,
            broken_name,
            words,
            options: certain_options,
            args: args.filter(|_| is_clean).map(|value| (value, rest)),
        }
    }

    fn read_form_1(&mut self) {
        let mut is_trusted = true;
        for (index, word) in self.words.iter().enumerate() {
            let Some((name, value)) = option(word.as_bytes()) else {
                continue;
            };
            if name == ARGS.as_bytes() {
                self.args = Some((value, self.words.get(index + 1..).unwrap_or_default()));
                break;
            }
            if let Some(option) = find(&USERS_OF_FORM_1, name) {
                is_trusted = false;
                self.take(option, value);
            } else if let Some(option) =
                find(&TRUSTED_OPTIONS_OF_FORM_1, name).filter(|_| is_trusted)
            {
                is_trusted = option != "user" || !has_broken_word(value);
                self.take(option, value);
            }
        }
    }

    fn take(&mut self, name: &'static str, value: &'a [u8]) {
        if !self.options.iter().any(|(option, _)| *option == name) {
            self.options.push((name, value));
        }
    }
}

/// Splits the value of `--line=`, such as `2.1a2b3c4d`, into the form of the line and the digest of
/// the set of lines; older lines have no digest.
fn form_and_digest(value: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut parts = value.splitn(2, |byte| *byte == b'.');
    (parts.next().unwrap_or_default(), parts.next())
}

/// Removes the blank that a trigger line adds after the text of a command's arguments, if there is
/// one.
fn without_blank(text: &[u8]) -> &[u8] {
    text.strip_suffix(b" ").unwrap_or(text)
}

/// Whether the value of `--user=` in a trigger line of form 1 shows that the user's name broke out
/// of its word: it contains a quotation mark or a blank. p4d writes blanks in a name as `_`, so a
/// blank stands before a further option that a quotation mark in the name merged into the value.
fn has_broken_word(user: &[u8]) -> bool {
    user.iter().any(|byte| matches!(byte, b'"' | b' '))
}

/// The command-line words of the current process, without the program's name.
#[must_use]
pub fn of_this_process() -> Vec<OsString> {
    std::env::args_os().skip(1).collect()
}

/// The name of a Perforce command without the prefix of p4d's `%command%`: `fstat` for
/// `user-fstat`.
#[must_use]
pub fn command_name(command: &[u8]) -> &[u8] {
    command.strip_prefix(b"user-").unwrap_or(command)
}

fn option(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let word = word.strip_prefix(b"--")?;
    let equals = word.iter().position(|byte| *byte == b'=')?;
    Some((word.get(..equals)?, word.get(equals + 1..)?))
}

fn find(names: &[&'static str], name: &[u8]) -> Option<&'static str> {
    names.iter().copied().find(|option| option.as_bytes() == name)
}

fn join(value: &[u8], words: &[OsString]) -> Vec<u8> {
    let mut text = value.to_vec();
    for word in words {
        text.push(b' ');
        text.extend_from_slice(word.as_bytes());
    }
    text
}

/// Whether an option's value looks like a variable, `%name%`, that p4d left unexpanded; a server
/// does so with variables that it does not support.
fn is_unexpanded(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"%").and_then(|rest| rest.strip_suffix(b"%"));
    inner.is_some_and(|name| !name.is_empty() && !name.contains(&b'%'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(line: &[&str]) -> Vec<OsString> {
        line.iter().map(OsString::from).collect()
    }

    #[test]
    fn the_first_occurrence_counts_and_own_options_end_before_user_options() {
        let line = words(&["command", "--user=ann", "--user=bob", "--client=ws", "--home=/evil"]);
        let arguments = Arguments::parse(&line);
        assert_eq!(arguments.event, b"command");
        assert_eq!(arguments.get("user"), Some(&b"ann"[..]));
        assert_eq!(arguments.get("client"), Some(&b"ws"[..]));
        assert_eq!(arguments.get("home"), None);
    }

    #[test]
    fn an_empty_or_unexpanded_first_value_makes_an_option_absent() {
        let line = words(&["command", "--client=", "--client=ws", "--prog=%clientprog%"]);
        let arguments = Arguments::parse(&line);
        assert_eq!(arguments.get("client"), None);
        assert_eq!(arguments.get("prog"), None);
        assert_eq!(arguments.args(), None);
    }

    #[test]
    fn args_includes_all_following_words_unchanged() {
        let line = words(&["command", "--args=-Ob", "--user=eve", "--prog=p", ""]);
        let arguments = Arguments::parse(&line);
        assert_eq!(arguments.args().as_deref(), Some(&b"-Ob --user=eve --prog=p "[..]));
        assert_eq!(arguments.get("user"), None);
        for text in ["", "%args%"] {
            let line = words(&["command", &format!("--args={text}")]);
            assert_eq!(Arguments::parse(&line).args().as_deref(), Some(text.as_bytes()));
        }
    }

    #[test]
    fn command_names_are_without_the_prefix_user() {
        assert_eq!(command_name(b"user-fstat"), b"fstat");
        assert_eq!(command_name(b"fstat"), b"fstat");
    }

    proptest! {
        #[test]
        fn words_after_a_user_option_change_no_own_option(
            tail in prop::collection::vec(".*", 0..6),
        ) {
            let mut line = words(&["command", "--home=/h", "--user=ann", "--client=ws"]);
            line.extend(tail.iter().map(OsString::from));
            let arguments = Arguments::parse(&line);
            prop_assert_eq!(arguments.get("home"), Some(&b"/h"[..]));
            prop_assert_eq!(arguments.get("user"), Some(&b"ann"[..]));
            prop_assert_eq!(arguments.get("client"), Some(&b"ws"[..]));
            prop_assert_eq!(arguments.get("on-error"), None);
        }
    }
}
