//! Narrows a path to one directory at its first wildcard and keeps the rest of its pattern.
//!
//! The directory replaces the name with the wildcard, or precedes it, the same on both sides of a
//! view line:
//!
//! ```text
//! //depot/... //ws/...                    -> //depot/docs/... //ws/docs/...
//! //depot/.../src/... //ws/.../src/...    -> //depot/docs/.../src/... //ws/docs/.../src/...
//! //depot/*.c //ws/*.c                    -> //depot/docs/*.c //ws/docs/*.c
//! //depot/*/main/... //ws/x/*/...         -> //depot/docs/main/... //ws/x/docs/...
//! //depot/main... //ws/main...            -> //depot/main/... //ws/main/...
//! ```

use crate::base::patterns::{is_same, matches};
use crate::paths::depot_path::{has_dots, has_wildcard, literal_start, wildcards};
use crate::proposals::placeholders::with_stars;

/// A path, cut around the name that contains a wildcard.
struct Cut<'p> {
    head: &'p [u8],
    part: &'p [u8],
    tail: &'p [u8],
    wildcard: &'p [u8],
}

/// At the first wildcard with a text, by default at the first of all; None without it.
fn cut<'p>(path: &'p [u8], with_text: Option<&[u8]>) -> Option<Cut<'p>> {
    let (start, end) = wildcards(path)
        .find(|(start, end)| with_text.is_none_or(|text| path.get(*start..*end) == Some(text)))?;
    let head_end = path.get(..start)?.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let tail_at =
        path.get(end..)?.iter().position(|byte| *byte == b'/').map_or(path.len(), |at| end + at);
    Some(Cut {
        head: path.get(..head_end)?,
        part: path.get(head_end..tail_at)?,
        tail: path.get(tail_at..)?,
        wildcard: path.get(start..end)?,
    })
}

impl<'p> Cut<'p> {
    /// Whether the name with the wildcard matches one whole directory name.
    fn is_directory(&self) -> bool {
        !self.tail.is_empty() && !has_dots(self.part)
    }

    /// The text with which a matching directory's name begins, such as `main` for `main...`; empty
    /// for a wildcard other than `...`.
    fn beginning(&self) -> &'p [u8] {
        match self.wildcard {
            b"..." => literal_start(self.part),
            _ => b"",
        }
    }

    fn narrowed(&self, name: &[u8]) -> Vec<u8> {
        if self.is_directory() {
            return name.to_vec();
        }
        // Names that begin so in another case come only from a server that ignores case.
        let beginning = self.beginning();
        let has_it = name.get(..beginning.len()).is_some_and(|it| is_same(it, beginning, false));
        let rest = self.part.get(if has_it { beginning.len() } else { 0 }..).unwrap_or_default();
        [name, b"/", rest].concat()
    }
}

/// None without a wildcard.
pub fn within(path: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let cut = cut(path, None)?;
    Some([cut.head, &cut.narrowed(name), cut.tail].concat())
}

/// A path with a directory above the name that has its first wildcard.
pub fn below(path: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let cut = cut(path, None)?;
    Some([cut.head, name, b"/", cut.part, cut.tail].concat())
}

/// The right side of a view line, narrowed as `within` narrows the left side; None if the wildcards
/// of the two sides do not correspond.
pub fn beside(left: &[u8], right: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let of_left = cut(left, None)?;
    let cut = cut(right, Some(of_left.wildcard))?;
    let part = if cut.part == of_left.part {
        of_left.narrowed(name)
    } else if of_left.is_directory() {
        if of_left.part != of_left.wildcard {
            return None;
        }
        let (start, end) = wildcards(cut.part)
            .find(|(start, end)| cut.part.get(*start..*end) == Some(cut.wildcard))?;
        [cut.part.get(..start)?, name, cut.part.get(end..)?].concat()
    } else {
        let beginning = of_left.beginning();
        if !beginning.is_empty() && of_left.part.strip_prefix(beginning) != Some(cut.part) {
            return None;
        }
        [name, b"/", cut.part].concat()
    };
    Some([cut.head, &part, cut.tail].concat())
}

/// The text before a path's first wildcard, back to the slash, if the wildcard is `...`, such as
/// `main` for `//depot/main...`: the name to narrow the path by if no real name is known.
pub fn guess(path: &[u8]) -> Option<&[u8]> {
    Some(cut(path, None)?.beginning()).filter(|beginning| !beginning.is_empty())
}

/// The pattern of the names to which a path can be narrowed at its first wildcard; None without a
/// wildcard.
pub fn pattern(path: &[u8]) -> Option<Vec<u8>> {
    let cut = cut(path, None)?;
    if !cut.is_directory() {
        return Some([cut.beginning(), b"*"].concat());
    }
    Some(with_stars(cut.part, wildcards(cut.part)))
}

/// The first name below a path's literal text on the way to a directory such as `//depot/a/b/`; None
/// if the path matches nothing there, or its wildcard is in a file's name.
pub fn next_name<'d>(path: &[u8], directory: &'d [u8], case_sensitive: bool) -> Option<&'d [u8]> {
    let start = literal_start(path);
    let rest = path.get(start.len()..)?;
    if !rest.starts_with(b"...") && !rest.contains(&b'/')
        || !starts_with(directory, start, case_sensitive)
    {
        return None;
    }
    let name_at = start.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let name = directory.get(name_at..)?.split(|byte| *byte == b'/').next()?;
    (is_name(name) && matches(&pattern(path)?, name, case_sensitive)).then_some(name)
}

pub fn starts_with(path: &[u8], start: &[u8], case_sensitive: bool) -> bool {
    path.get(..start.len()).is_some_and(|front| is_same(front, start, case_sensitive))
}

/// Whether a text can stand in a path as the name of one depot or directory.
pub fn is_name(text: &[u8]) -> bool {
    let is_plain = !text.iter().any(|byte| matches!(byte, b'"' | b'/')) && !has_wildcard(text);
    is_plain && !matches!(text, b"" | b"." | b"..")
}

/// Whether two paths have the same wildcards, as p4d requires of the two sides of a view line
/// (Validate in map/*.cc of Perforce's C++ API).
pub fn have_the_same_wildcards(left: &[u8], right: &[u8]) -> bool {
    sorted_wildcards(left) == sorted_wildcards(right)
}

fn sorted_wildcards(path: &[u8]) -> Vec<&[u8]> {
    let mut all: Vec<_> = wildcards(path).filter_map(|(start, end)| path.get(start..end)).collect();
    all.sort_unstable();
    all
}
