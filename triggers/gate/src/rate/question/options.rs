//! Reads the options of a command, and knows which of them change the output only.
//!
//! The letters are from `p4 help COMMAND` and the names from support/options.cc (Perforce's C++
//! API).

use crate::paths::argument_words::Words;
use crate::paths::command_options::{Options, options_of};
pub use crate::paths::option_reader::OptionName;
use crate::paths::option_reader::{GivenOption, GivenValue, is_number, option_word, options_in};
use std::mem::replace;

#[derive(Clone, Copy, Debug)]
pub struct CommandOption<'a> {
    pub name: OptionName<'a>,
    pub value: &'a [u8],
}

const OF_EVERY_COMMAND: &[u8] = b"mq";
/// Letters of further options of output by command.
const OF_OUTPUT: [(&str, &[u8]); 14] = [
    ("annotate", b"Tcdtu"),
    ("branches clients labels", b"t"),
    ("changes", b"ELlrt"),
    ("describe diff", b"d"),
    ("diff2", b"du"),
    ("filelog", b"Llst"),
    ("fstat", b"ALOPSTlrs"),
    ("grep", b"ABCGLlns"),
    ("interchanges", b"flt"),
    ("jobs", b"lr"),
    ("opened", b"s"),
    ("print", b"BKLQko"),
    ("sizes", b"BCHKLQbhs"),
    ("sync", b"EK"),
];

/// Besides those of every command.
pub fn letters_of_output(command: &[u8]) -> &'static [u8] {
    let is_command = |names: &str| names.split(' ').any(|name| name.as_bytes() == command);
    let row = OF_OUTPUT.iter().find(|(names, _)| is_command(names));
    row.map_or(b"", |(_, letters)| letters)
}

const LONG_OF_OUTPUT: [&[u8]; 4] = [b"limit", b"offset", b"parallel", b"size"];
/// Names in lists of `-T`, whose names may be separated by blanks (`p4 help fstat`, `p4 help
/// streams`).
const FIELDS: [&str; 57] = [
    "access", "action", "actionowner", "baseparent", "change", "changeflowsfromparent",
    "changeflowstoparent", "charset", "clientfile", "depotfile", "desc", "digest", "filesize",
    "firmerthanparent", "haverev", "headaction", "headchange", "headcharset", "headmodtime",
    "headrev", "headtime", "headtype", "ismapped", "ismissing", "lockglobal", "lockoncommit",
    "movedfile", "movedrev", "name", "options", "otheraction", "otherchange", "otherlock",
    "otherlockglobal", "otherlockoncommit", "otheropen", "ourlock", "owner", "parent", "path",
    "reresolvable", "resolveaction", "resolvebasefile", "resolvebaserev", "resolved",
    "resolveendfromrev", "resolvefromfile", "resolvestartfromrev", "resolvetype", "revtime",
    "shelved", "stream", "totalfilecount", "type", "unresolved", "update", "workrev",
];

/// A gap after an option shows that its value was an empty word.
pub fn read<'a>(command: &[u8], text: &'a [u8]) -> (Vec<CommandOption<'a>>, Words<'a>) {
    let (table, mut options, mut words) = (options_of(command), Vec::new(), Words::of(text));
    while let Some((word, behind)) = option_word(words) {
        words = behind;
        let wants_value = read_word(&table, word.text, &mut options);
        if let Some(option) = options.last_mut().filter(|option| option.value.is_empty()) {
            take_value(option, wants_value, &mut words);
        }
    }
    let mut read = Vec::with_capacity(options.len());
    let mut given = [false; 256];
    for option in options {
        let OptionName::Letter(letter) = option.name else {
            read.push(option);
            continue;
        };
        let was_given = given.get_mut(usize::from(letter)).is_some_and(|was| replace(was, true));
        // Of a repeated option with one value the first counts (`p4 help changes` has the others).
        let takes_all = command == b"changes" && matches!(letter, b'c' | b'u');
        if !was_given || takes_all || table.kind(letter) != Some(b':') {
            option.add_flags(&table, letter, &mut read);
        }
    }
    (read, words)
}

/// Returns whether the last option takes the next word as its value.
fn read_word<'a>(table: &Options, word: &'a [u8], options: &mut Vec<CommandOption<'a>>) -> bool {
    let mut is_given = [false; 256];
    let mut wants_value = false;
    let mut last = None;
    for GivenOption { name, value } in options_in(table, word) {
        wants_value = value == GivenValue::NextWord;
        let value = if let GivenValue::Attached(value) = value { value } else { b"" };
        // A letter without a value counts once, so that a long word has few options.
        let letter = if let OptionName::Letter(letter) = name { letter } else { 0 };
        let was_given = is_given.get_mut(usize::from(letter)).is_some_and(|was| replace(was, true));
        last = Some(CommandOption { name, value });
        if !was_given || !value.is_empty() {
            options.extend(last.take());
        }
    }
    options.extend(last);
    wants_value
}

/// Gives an option the next word as its value: if the option takes one, if it is a limit of a
/// command that is not in the table and the word is a number, or if it is a list of fields that
/// goes on.
fn take_value<'a>(option: &mut CommandOption<'a>, wants_value: bool, words: &mut Words<'a>) {
    let mut behind = *words;
    let next = behind.next().map(|word| word.text).unwrap_or_default();
    let is_limit = option.is_limit() && is_number(next);
    if (wants_value && !words.has_a_gap()) || is_limit {
        (option.value, *words) = (next, behind);
    }
    if wants_value && option.name == OptionName::Letter(b'T') {
        skip_fields(words);
    }
}

fn skip_fields(words: &mut Words<'_>) {
    let mut behind = *words;
    while behind.next().is_some_and(|word| is_field_list(word.text)) {
        *words = behind;
    }
}

fn is_field_list(word: &[u8]) -> bool {
    let is_field = |name: &[u8]| {
        let name = name.to_ascii_lowercase();
        let end = name.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
        let stem = name.get(..end).unwrap_or_default();
        name.starts_with(b"attr")
            || name.starts_with(b"openattr")
            || FIELDS.binary_search_by(|field| field.as_bytes().cmp(stem)).is_ok()
    };
    word.split(|byte| *byte == b',').all(|name| name.is_empty() || is_field(name))
}

impl<'a> CommandOption<'a> {
    /// Adds the option with each of its flags apart, such as `-Rc` and `-Ro` for `-Rco`.
    fn add_flags(self, table: &Options, letter: u8, to: &mut Vec<Self>) {
        if let Some((letter, value)) = table.stands_for(letter) {
            return to.push(CommandOption { name: OptionName::Letter(letter), value });
        }
        match table.kind(letter) {
            Some(b'.') => {
                to.extend(self.value.chunks(1).map(|value| CommandOption { value, ..self }));
            }
            _ => to.push(self),
        }
    }
}

impl CommandOption<'_> {
    /// `of_output` are the `letters_of_output` of the command.
    pub fn is_of_output(&self, of_output: &[u8]) -> bool {
        match self.name {
            OptionName::Long(name) => LONG_OF_OUTPUT.contains(&name),
            OptionName::Letter(letter) => {
                OF_EVERY_COMMAND.contains(&letter) || of_output.contains(&letter)
            }
        }
    }

    fn is_limit(&self) -> bool {
        match self.name {
            OptionName::Letter(letter) => letter == b'm',
            OptionName::Long(name) => LONG_OF_OUTPUT.contains(&name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_a_word_repeats_counts_once_except_as_the_last() {
        let text = format!("-{} a.c", "xy/".repeat(1000));
        let (options, mut words) = read(b"files", text.as_bytes());
        let names: Vec<_> = options.iter().map(|option| option.name).collect();
        assert_eq!(names, [b'x', b'y', b'/', b'/'].map(OptionName::Letter));
        assert_eq!(words.next().map(|word| word.text), Some(&b"a.c"[..]));
        let (options, _) = read(b"files", b"-xax5");
        assert_eq!(options.last().map(|option| option.value), Some(&b"5"[..]));
    }

    #[test]
    fn the_fields_are_sorted() {
        assert!(FIELDS.is_sorted());
        assert!(is_field_list(b"depotFile,otherOpen12,attr-x,") && !is_field_list(b"a.c"));
    }
}
