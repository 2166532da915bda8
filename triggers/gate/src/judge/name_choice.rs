//! The note below proposed lines: how to list names for their placeholders, and how many more lines
//! are possible.

use crate::base::plural::amount;
use crate::paths::view_words::{split_flag, words};
use crate::rules::narrower_path::{DIRECTORY, is_plain};

/// `more` further lines, which are not shown, are possible. A depot path that a proposed line has
/// in common with `refused` is not the one to complete.
#[must_use]
pub fn sentences(lines: &[&str], more: usize, refused: &[&[u8]]) -> Vec<String> {
    let common: Vec<&[u8]> = refused.iter().flat_map(|line| depot_paths(line)).collect();
    let chosen = lines.iter().filter_map(|line| {
        let paths = depot_paths(line.as_bytes());
        let other = paths.iter().find(|path| !common.contains(path));
        other.or(paths.first()).and_then(|path| str::from_utf8(path).ok())
    });
    let mut starts: Vec<&str> = Vec::new();
    for start in chosen.filter_map(before_placeholder) {
        if !starts.contains(&start) {
            starts.push(start);
        }
    }
    let mut sentences: Vec<String> = Vec::new();
    sentences.extend((!starts.is_empty()).then(|| listing(&starts)));
    let verb = if more == 1 { "is" } else { "are" };
    let further = || format!("{} {verb} possible.", amount(more, "more such line"));
    sentences.extend((more > 0).then(further));
    sentences
}

fn listing(starts: &[&str]) -> String {
    let plain = starts.iter().filter(|start| start.len() > 2 && is_plain(start));
    let paths: Vec<String> = plain.map(|start| format!("\"{start}/*\"")).collect();
    if paths.is_empty() {
        return format!("Put a name in place of {DIRECTORY}.");
    }
    let paths = paths.join(" ");
    format!("Put a name in place of {DIRECTORY}; this lists the names: p4 dirs {paths}")
}

/// The part before the slash in front of the first placeholder for a directory.
fn before_placeholder(path: &str) -> Option<&str> {
    let mut end = 0;
    for name in path.split('/') {
        if name == DIRECTORY && end > 0 {
            return path.get(..end - 1);
        }
        end += name.len() + 1;
    }
    None
}

fn depot_paths(line: &[u8]) -> Vec<&[u8]> {
    let paths = words(line).map(|word| split_flag(word).1);
    paths.filter(|path| path.starts_with(b"//")).collect()
}
