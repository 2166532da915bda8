//! Counts with their nouns.

use crate::base::text::with_separators;

/// Such as `3,000 rules`.
#[must_use]
pub fn amount(number: usize, one: &str) -> String {
    let number_text = with_separators(number as u64);
    format!("{number_text} {one}{}", if number == 1 { "" } else { "s" })
}
