//! The one reader of the options of a command, after Options::Parse (support/options.cc of
//! Perforce's C++ API): options end at the first word that does not begin with `-`. `-` and `--`
//! alone are none; p4d refuses a command with the latter. Letters may stand together, and the last
//! takes the rest of its word, or the next word, as its value.

use crate::paths::argument_words::{Word, Words};
use crate::paths::command_options::Options;

/// The name of an option: its letter, or the long name of an option that has no letter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionName<'a> {
    Letter(u8),
    Long(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenValue<'a> {
    None,
    Attached(&'a [u8]),
    NextWord,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenOption<'a> {
    pub name: OptionName<'a>,
    pub value: GivenValue<'a>,
}

/// The next word if it has options, and the words behind it.
pub fn option_word<'a>(mut words: Words<'a>) -> Option<(Word<'a>, Words<'a>)> {
    let word = words.next().filter(|word| is_option_word(word.text))?;
    Some((word, words))
}

fn is_option_word(word: &[u8]) -> bool {
    word.len() > 1 && word.starts_with(b"-") && word != b"--"
}

/// The options of a word, in order.
pub fn options_in<'a>(table: &Options, word: &'a [u8]) -> impl Iterator<Item = GivenOption<'a>> {
    let long = word.strip_prefix(b"--");
    let mut letters = if long.is_some() { b"" } else { word.get(1..).unwrap_or_default() };
    let short = std::iter::from_fn(move || {
        let (letter, rest) = letters.split_first()?;
        let value = value_of(table, *letter, rest);
        letters = if value == GivenValue::None { rest } else { b"" };
        Some(GivenOption { name: OptionName::Letter(*letter), value })
    });
    long.map(|long| long_option(table, long)).into_iter().chain(short)
}

/// A number behind a letter that the table lacks is its value.
fn value_of<'a>(table: &Options, letter: u8, rest: &'a [u8]) -> GivenValue<'a> {
    match table.kind(letter) {
        Some(b':') if rest.is_empty() => GivenValue::NextWord,
        Some(_) => GivenValue::Attached(rest),
        None if letter.is_ascii_alphabetic() && !table.has(letter) && is_number(rest) => {
            GivenValue::Attached(rest)
        }
        None => GivenValue::None,
    }
}

fn long_option<'a>(table: &Options, long: &'a [u8]) -> GivenOption<'a> {
    let end = long.iter().position(|byte| *byte == b'=');
    let (name, attached) = long.split_at_checked(end.unwrap_or(long.len())).unwrap_or((long, b""));
    let option = table.long(name);
    let value = match attached.split_first() {
        Some((_, value)) => GivenValue::Attached(value),
        None if option.takes_value => GivenValue::NextWord,
        None => GivenValue::None,
    };
    GivenOption { name: option.letter.map_or(OptionName::Long(name), OptionName::Letter), value }
}

pub fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::command_options::options_of;
    use serde_json::Value;

    const CASES: &str = include_str!("../../../../tests/cases/option_lines/lines.json");

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The options with their values, and the words behind them.
    fn read(command: &str, args: &str) -> (Vec<String>, String) {
        let table = options_of(command.as_bytes());
        let (mut words, mut options) = (Words::of(args.as_bytes()), Vec::new());
        while let Some((word, behind)) = option_word(words) {
            words = behind;
            for GivenOption { name, value } in options_in(&table, word.text) {
                let name = match name {
                    OptionName::Letter(letter) => char::from(letter).to_string(),
                    OptionName::Long(name) => format!("--{}", text(name)),
                };
                options.push(match value {
                    GivenValue::None => name,
                    GivenValue::Attached(value) => format!("{name}={}", text(value)),
                    GivenValue::NextWord => {
                        let value = words.next().map_or(&b""[..], |word| word.text);
                        format!("{name}={}", text(value))
                    }
                });
            }
        }
        let behind: Vec<_> = words.map(|word| text(word.text)).collect();
        (options, behind.join(" "))
    }

    #[test]
    fn options_are_read_as_p4d_reads_them() {
        let document: Value = serde_json::from_str(CASES).unwrap_or_default();
        let cases = document["cases"].as_array().map_or(&[][..], Vec::as_slice);
        assert!(cases.len() > 20);
        for case in cases {
            let of = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
            let options = case["options"].as_array().into_iter().flatten();
            let options = options.map(|one| one.as_str().unwrap_or_default().to_owned()).collect();
            assert_eq!(read(&of("command"), &of("words")), (options, of("behind")), "{case}");
        }
    }
}
