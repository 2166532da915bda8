//! `core/visible.py` has the same table of hidden characters and gives the reasons; both run the
//! cases of `tests/cases/visible_characters.json`. Surrogates need no entry, because a Rust `char`
//! cannot be one.

use crate::base::text::{CUT, MAX_ITEM_CHARACTERS, printable};

/// Ranges of Unicode characters that refusals show escaped, because they are invisible, move the
/// text beside them or are for private use.
const HIDDEN: &[(char, char)] = &[
    ('\u{0}', '\u{1f}'),
    ('\u{7f}', '\u{a0}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2000}', '\u{200f}'),
    ('\u{2028}', '\u{202f}'),
    ('\u{205f}', '\u{206f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{fffe}', '\u{ffff}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{10ffff}'),
];

pub fn is_visible(character: char) -> bool {
    !HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

/// If the mode is unknown, as on a server without unicode mode: printable ASCII.
pub fn visible_text(text: &[u8], unicode: bool) -> String {
    if !unicode {
        return printable(text);
    }
    let mut to = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_visible(character) {
                to.push(character);
            } else {
                to.push_str(&printable(character.encode_utf8(&mut [0; 4]).as_bytes()));
            }
        }
        to.push_str(&printable(chunk.invalid()));
    }
    to
}

/// At most `MAX_ITEM_CHARACTERS` bytes plus the mark of the cut.
pub fn visible_excerpt(text: &[u8], unicode: bool) -> String {
    visible_start(text, unicode, MAX_ITEM_CHARACTERS)
}

/// At most `most_bytes` plus the mark of the cut.
pub fn visible_start(text: &[u8], unicode: bool, most_bytes: usize) -> String {
    // This cut of the original bytes may split a character of at most four bytes; the cut of the
    // shown text below removes the remains.
    let start = text.get(..most_bytes + 4).unwrap_or(text);
    let mut excerpt = visible_text(start, unicode);
    cut_to(&mut excerpt, most_bytes);
    excerpt
}

/// Cuts between two characters.
pub fn cut_to(text: &mut String, most_bytes: usize) {
    if text.len() > most_bytes {
        let end = (0..=most_bytes).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push_str(CUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_cut_at_whole_characters_like_cut_to() {
        for length in MAX_ITEM_CHARACTERS - 8..=MAX_ITEM_CHARACTERS + 2 {
            let mut text = "a".repeat(length) + "日\u{1F409}é日";
            let excerpt = visible_excerpt(text.as_bytes(), true);
            cut_to(&mut text, MAX_ITEM_CHARACTERS);
            assert_eq!(excerpt, text, "{length}");
        }
    }
}
