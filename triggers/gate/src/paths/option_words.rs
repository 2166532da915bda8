//! The options of a command, with some of them left out.

use crate::paths::command_options::Options;
use crate::paths::option_reader::{GivenOption, GivenValue, OptionName, options_in};

/// The words without the options whose letters are unwanted and the values of these; None if an
/// option lacks its value. `words` are all options and their values.
pub fn without(
    options: &Options,
    words: &[&str],
    is_unwanted: impl Fn(u8) -> bool,
) -> Option<Vec<String>> {
    let (mut kept, mut words) = (Vec::new(), words.iter());
    while let Some(word) = words.next() {
        let (mut text, mut keeps_next) = (vec![b'-'], None);
        for option in options_in(options, word.as_bytes()) {
            let is_kept = !matches!(option.name, OptionName::Letter(letter) if is_unwanted(letter));
            if is_kept {
                add_option(word.as_bytes(), option, &mut text);
            }
            keeps_next = (option.value == GivenValue::NextWord).then_some(is_kept);
        }
        if text.len() > 1 {
            kept.push(String::from_utf8(text).ok()?);
        }
        if let Some(is_kept) = keeps_next {
            let next = words.next()?;
            kept.extend(is_kept.then(|| (*next).to_owned()));
        }
    }
    Some(kept)
}

/// Behind the dash.
fn add_option(word: &[u8], option: GivenOption<'_>, text: &mut Vec<u8>) {
    match (word.strip_prefix(b"--"), option.name) {
        (None, OptionName::Letter(letter)) => text.push(letter),
        _ => return text.extend(word.iter().skip(1)),
    }
    if let GivenValue::Attached(value) = option.value {
        text.extend(value);
    }
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
