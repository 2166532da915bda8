//! A path that is too wide -> one to write instead, with words in capitals where its user chooses.
//!
//! The same words as `narrower.py`; the gate does not know a depot's directories.

use crate::depot_path::Span;
use crate::text::cut;

/// The path with as many directories as are needed.
#[must_use]
pub fn within(span: &Span<'_>, need: u64) -> String {
    let mut names = vec![span.depot];
    names.extend(Some(span.directories).filter(|names| !names.is_empty()));
    let start = [b"//", &*names.join(&b'/')].concat();
    let shown = cut(&start);
    // A part of a path would be another path.
    let whole = shown.as_bytes() == start;
    if whole { path(&shown, need.saturating_sub(span.depth)) } else { anywhere(need) }
}

/// A path in some depot.
#[must_use]
pub fn anywhere(need: u64) -> String {
    path("//DEPOT", need)
}

fn path(start: &str, more: u64) -> String {
    let more = "/DIRECTORY".repeat(usize::try_from(more).unwrap_or(0));
    format!("{start}{more}/...")
}
