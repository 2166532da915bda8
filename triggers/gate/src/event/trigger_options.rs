//! The options of a trigger line; `core/trigger_options.py` explains their order.

/// The number of this layout of a trigger line, which its option `--line=` states.
pub const FORM: &[u8] = b"1";
/// The event of a line for commands that have ended.
pub const COMMAND_END: &[u8] = b"command-end";
pub const ARGS: &str = "args";
pub const END: &str = "end";
/// The last word of every trigger line, by which a cut line is detected.
pub const LINE_END: &[u8] = b"--end=.";
/// Trigger line options whose variables older servers do not support: `%serverid%` is of 2013.2,
/// the others are later. Such a server may drop their words from the line.
pub const MAY_BE_ABSENT: [&str; 4] = ["server", "services", "pressure-cpu", "pressure-mem"];

/// Their variables are as old as triggers, so that a value such as `%x%` is a name that a user chose.
pub const ALWAYS_EXPANDED: [&str; 3] = ["user", "client", "name"];

/// Their values are chosen by users, as is the text of a command's arguments.
pub const USERS: [&str; 6] = ["user", "client", "name", "version", "prog", "cwd"];

/// In the order of their words, each with the letters of the lines that have it: `c` of commands,
/// `e` of their ends, `f` of forms, `s` of submits.
pub const OPTIONS: [(&str, &str); 22] = [
    ("line", "cefs"),
    ("home", "cefs"),
    ("on-error", "cefs"),
    ("triggers-io", "cefs"),
    ("type", "f"),
    ("form", "f"),
    ("ip", "cfs"),
    ("groups", "cfs"),
    ("command", "c"),
    ("change", "s"),
    ("server", "cfs"),
    ("services", "cfs"),
    ("pressure-cpu", "c"),
    ("pressure-mem", "c"),
    ("user", "cfs"),
    ("client", "cfs"),
    ("name", "f"),
    ("version", "c"),
    ("prog", "cfs"),
    ("cwd", "c"),
    (ARGS, "c"),
    (END, "cefs"),
];

/// In the order of their words.
pub fn options_of(event: &[u8]) -> Vec<&'static str> {
    let line = match event {
        b"command" => 'c',
        COMMAND_END => 'e',
        b"change-submit" | b"shelve-submit" => 's',
        _ => 'f',
    };
    OPTIONS.iter().filter(|(_, lines)| lines.contains(line)).map(|(name, _)| *name).collect()
}

/// None if the word is not `--name=value` of this option.
pub fn value_of<'a>(name: &str, word: &'a [u8]) -> Option<&'a [u8]> {
    word.strip_prefix(b"--")?.strip_prefix(name.as_bytes())?.strip_prefix(b"=")
}

pub fn count(name: &str, text: &[u8]) -> usize {
    options_in(text).filter(|rest| value_of(name, rest).is_some()).count()
}

pub fn holds_an_option(text: &[u8]) -> bool {
    options_in(text).any(|rest| OPTIONS.iter().any(|(name, _)| value_of(name, rest).is_some()))
}

/// The text from each `--` on, where an option may begin.
fn options_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let places = text.windows(2).enumerate().filter(|(_, two)| *two == b"--");
    places.filter_map(|(at, _)| text.get(at..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_found_anywhere_in_a_word() {
        assert_eq!(count("end", b"--end=--end=. --endx=---end="), 3);
        assert!(holds_an_option(b"x---cwd="));
        assert!(!holds_an_option(b"--cw= -cwd= --cwd cwd="));
    }
}
