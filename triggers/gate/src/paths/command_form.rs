//! The form of a command: its options and the kinds of its file arguments, without names and
//! numbers, such as `changes -m PATH@N,M`. Decision records have it for a command that no rule could
//! judge.

use crate::paths::argument_words::Words;
use crate::paths::command_bounds::CommandBounds;
use crate::paths::command_line::CommandLine;
use crate::paths::command_options::{Options, options_of};
use crate::paths::option_reader::{GivenValue, OptionName, options_in};
use crate::paths::revision::{Point, Revision, revision_of};

const MAX_WORDS: usize = 8;

/// Each word once.
pub fn command_form(command: &[u8], args: &[u8]) -> String {
    let line = CommandLine::read(&CommandBounds::of(command), args);
    let files = line.readings.iter().map(|reading| reading.words).min_by_key(Words::count_before);
    let first = files.map_or(0, |files| files.count_before());
    let mut form = vec![String::from_utf8_lossy(command).into_owned()];
    let mut add = |word: String| {
        if form.len() <= MAX_WORDS && !form.contains(&word) {
            form.push(word);
        }
    };
    let kinds = options_of(command);
    let options = Words::of(args).take(first).filter(|word| word.text.starts_with(b"-"));
    options.for_each(|word| add(option(&kinds, word.text)));
    files.into_iter().flatten().for_each(|word| add(argument(word.text)));
    form.join(" ")
}

/// A word of options without their values; sets of letters such as `-Olh` are kept.
fn option(options: &Options, word: &[u8]) -> String {
    let mut plain = vec![b'-'];
    for option in options_in(options, word) {
        match option.name {
            OptionName::Letter(letter) if !word.starts_with(b"--") => {
                plain.push(letter);
                if let GivenValue::Attached(set) = option.value
                    && options.kind(letter) == Some(b'.')
                {
                    plain.extend(set.iter().take_while(|byte| !byte.is_ascii_digit()));
                }
            }
            _ => plain.extend(word.iter().skip(1).take_while(|byte| **byte != b'=')),
        }
    }
    let is_plain = plain.len() <= 20
        && plain.iter().all(|byte| b"-".contains(byte) || byte.is_ascii_alphabetic());
    if is_plain { String::from_utf8_lossy(&plain).into_owned() } else { "-?".to_owned() }
}

fn argument(word: &[u8]) -> String {
    let start = word.iter().position(|byte| matches!(byte, b'#' | b'@')).unwrap_or(word.len());
    let (path, revision) = word.split_at_checked(start).unwrap_or((word, b""));
    let path = if path.is_empty() { "" } else { "PATH" };
    let revision = match revision_of(revision) {
        Revision::Range(range) if Some(range.first) == range.last => "@=N",
        Revision::Range(range) => match range.first {
            Point::Change(_) => "@N,M",
            Point::Date(_) => "@DATE,DATE",
            Point::Name(_) => "@LABEL,M",
        },
        Revision::UpTo(Point::Change(_)) => "@N",
        Revision::UpTo(Point::Date(_)) => "@DATE",
        Revision::UpTo(Point::Name(_)) => "@LABEL",
        Revision::AtMost(_) => "@<=N",
        _ if revision.is_empty() => "",
        _ if revision.starts_with(b"@") && revision.contains(&b',') => "@N,M",
        _ if revision.starts_with(b"@") => "@N",
        _ => "#REV",
    };
    format!("{path}{revision}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_no_names_and_numbers() {
        let form = |command: &str, args: &str| command_form(command.as_bytes(), args.as_bytes());
        assert_eq!(form("sync", ""), "sync");
        assert_eq!(form("sync", "@740,#head"), "sync @N,M");
        assert_eq!(form("fstat", "-e 12 -Or -Ro //ws/... //ws/a"), "fstat -e -Or -Ro PATH");
        assert_eq!(form("fstat", "-Olm5 -T secret //a@me"), "fstat -Olm -T PATH@LABEL");
        assert_eq!(
            form("changes", "--user=ann -m1 a@=3 b#2"),
            "changes --user -m PATH@=N PATH#REV"
        );
        assert_eq!(form("files", "-\"//x"), "files PATH");
        assert_eq!(form("fstat", "-Rco -mc //a"), "fstat -Rco -m PATH");
        assert_eq!(form("fstat", "--restrict-flags=o //a"), "fstat --restrict-flags PATH");
    }
}
