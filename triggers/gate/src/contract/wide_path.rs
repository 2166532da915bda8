//! The objections to a path that names too few directories, or no depot; they follow the path in a
//! refusal.

use crate::base::visible::visible_excerpt;
use crate::paths::depot_path::Span;

/// `verb` begins the objection: `maps` or `asks for`.
pub fn too_wide(verb: &str, span: &Span<'_>, path: &[u8], min_depth: u64, unicode: bool) -> String {
    let missing_count = min_depth.saturating_sub(span.depth);
    let more = if span.depth == 0 { "" } else { "more " };
    let extent = extent(span, path, unicode);
    format!("{verb} {extent}; name at least {} below it", directories(missing_count, more))
}

/// `extent` says what the path spans, such as `maps all depots`.
pub fn every_depot(extent: &str, min_depth: u64) -> String {
    let directories = directories(min_depth, "");
    format!("{extent}; name one depot (p4 depots lists them) and at least {directories} below it")
}

/// A number of directories in words, such as `one more directory`.
pub fn directories(number: u64, more: &str) -> String {
    match number {
        1 => format!("one {more}directory"),
        number => format!("{number} {more}directories"),
    }
}

/// The files that a path spans, such as `all of //depot/main`.
fn extent(span: &Span<'_>, path: &[u8], unicode: bool) -> String {
    // The parts between slashes of the path's literal beginning: two empty ones from the leading
    // `//`, the depot, and each complete directory.
    let names = usize::try_from(span.depth).unwrap_or(usize::MAX).saturating_add(3);
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    let (prefix, rest) = parts.split_at(names.min(parts.len()));
    let prefix = visible_excerpt(&prefix.join(&b'/'), unicode);
    match rest.join(&b'/').as_slice() {
        b"..." => format!("all of {prefix}"),
        rest => {
            format!("all paths below {prefix} that match {}", visible_excerpt(rest, unicode))
        }
    }
}
