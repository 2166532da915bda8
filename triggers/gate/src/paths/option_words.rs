//! The options of a command, with some of them left out.

use crate::paths::command_options::Options;

/// The words without the options whose letters are unwanted and the values of these; None if an
/// option lacks its value. `words` are all options and their values.
#[must_use]
pub fn without(
    options: &Options,
    words: &[&str],
    is_unwanted: impl Fn(u8) -> bool,
) -> Option<Vec<String>> {
    let (mut kept, mut words) = (Vec::new(), words.iter());
    while let Some(word) = words.next() {
        let Rest { text, value } = left_of(options, word, &is_unwanted);
        kept.extend(text);
        match value {
            Value::None => {}
            Value::Kept => kept.push((*words.next()?).to_owned()),
            Value::LeftOut => drop(words.next()?),
        }
    }
    Some(kept)
}

/// The rest of a word, and what becomes of the next word.
struct Rest {
    text: Option<String>,
    value: Value,
}

/// Of an option in the next word.
enum Value {
    None,
    Kept,
    LeftOut,
}

fn left_of(options: &Options, word: &str, is_unwanted: &impl Fn(u8) -> bool) -> Rest {
    let value = |is_left_out| if is_left_out { Value::LeftOut } else { Value::Kept };
    if let Some(long) = word.strip_prefix("--") {
        let (name, attached) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
        let option = options.long(name.as_bytes());
        let is_left_out = option.letter.is_some_and(is_unwanted);
        let has_value = option.takes_value && !attached;
        let value = if has_value { value(is_left_out) } else { Value::None };
        return Rest { text: (!is_left_out).then(|| word.to_owned()), value };
    }
    let mut text = "-".to_owned();
    let letters = word.strip_prefix('-').unwrap_or_default();
    for (at, letter) in letters.char_indices() {
        let byte = u8::try_from(letter).unwrap_or_default();
        let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
        let kind = options.kind(byte);
        if !is_unwanted(byte) {
            text.push(letter);
            text.push_str(kind.map_or("", |_| rest));
        }
        if let Some(kind) = kind {
            let takes_next = kind == b':' && rest.is_empty();
            let value = if takes_next { value(is_unwanted(byte)) } else { Value::None };
            return Rest { text: (text != "-").then_some(text), value };
        }
    }
    Rest { text: (text != "-").then_some(text), value: Value::None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::command_options::options_of;

    fn left(command: &str, words: &str, unwanted: &[u8]) -> Option<String> {
        let words: Vec<&str> = words.split_ascii_whitespace().collect();
        let options = options_of(command.as_bytes());
        without(&options, &words, |letter| unwanted.contains(&letter)).map(|kept| kept.join(" "))
    }

    #[test]
    fn letters_of_a_word_long_names_and_values_are_left_out() {
        for (words, unwanted, kept) in [
            ("-f", "f", ""),
            ("-qf -m 5", "f", "-q -m 5"),
            ("-fm5", "m", "-f"),
            ("-fm 5 -q", "m", "-f -q"),
            ("-fm 5 -q", "f", "-m 5 -q"),
            ("--force --max=5", "fm", ""),
            ("--max 5 --quiet", "m", "--quiet"),
            ("--parallel threads=4 -f", "f", "--parallel threads=4"),
            ("-é", "f", "-é"),
        ] {
            let kept_words = left("sync", words, unwanted.as_bytes());
            assert_eq!(kept_words.as_deref(), Some(kept), "{words} without {unwanted}");
        }
        assert_eq!(left("sync", "-f -m", b"f"), None);
    }
}
