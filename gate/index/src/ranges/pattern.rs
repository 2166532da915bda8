//! A path through a line of a view: what its wildcards matched goes into the other side.

/// No line is tried longer: patterns can be made that take for ever.
const MAX_STEPS: u32 = 20_000;

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'p> {
    Text(&'p [u8]),
    /// `...`, `*` or `%%n`; the number tells those apart that are of the same kind.
    Wildcard(Wildcard),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wildcard {
    Dots(usize),
    Star(usize),
    Numbered(u8),
}

/// The path on the other side of a line. None where the line does not have the path; Some(None)
/// where that is not known, for a pattern that takes too long or whose sides do not fit.
#[must_use]
pub fn translate(from: &[u8], to: &[u8], path: &[u8]) -> Option<Option<Vec<u8>>> {
    let (from, to) = (pieces(from), pieces(to));
    let (mut matched, mut steps) = (Vec::new(), 0);
    match matches(&from, path, &mut matched, &mut steps) {
        Some(true) => Some(filled(&to, &matched)),
        Some(false) => None,
        None => Some(None),
    }
}

fn pieces(mut pattern: &[u8]) -> Vec<Piece<'_>> {
    let (mut found, mut dots, mut stars) = (Vec::new(), 0, 0);
    while !pattern.is_empty() {
        let (text, rest) = crate::ranges::range::split(pattern);
        if !text.is_empty() {
            found.push(Piece::Text(text));
        }
        let (wildcard, bytes) = match rest {
            [b'*', ..] => (Wildcard::Star(stars), 1),
            [b'%', b'%', digit, ..] => (Wildcard::Numbered(*digit), 3),
            [_, ..] => (Wildcard::Dots(dots), 3),
            [] => break,
        };
        dots += usize::from(matches!(wildcard, Wildcard::Dots(_)));
        stars += usize::from(matches!(wildcard, Wildcard::Star(_)));
        found.push(Piece::Wildcard(wildcard));
        pattern = rest.get(bytes..).unwrap_or_default();
    }
    found
}

/// Whether pieces match a whole path; None where it takes too long to tell.
fn matches<'t>(
    pieces: &[Piece<'_>],
    path: &'t [u8],
    matched: &mut Vec<(Wildcard, &'t [u8])>,
    steps: &mut u32,
) -> Option<bool> {
    *steps += 1;
    if *steps > MAX_STEPS {
        return None;
    }
    let (wildcard, rest) = match pieces.split_first() {
        None => return Some(path.is_empty()),
        Some((Piece::Text(text), rest)) => {
            return path
                .strip_prefix(*text)
                .map_or(Some(false), |path| matches(rest, path, matched, steps));
        }
        Some((Piece::Wildcard(wildcard), rest)) => (*wildcard, rest),
    };
    let slash = path.iter().position(|byte| *byte == b'/').unwrap_or(path.len());
    let longest = if matches!(wildcard, Wildcard::Dots(_)) { path.len() } else { slash };
    for bytes in (0..=longest).rev() {
        let (part, behind) = path.split_at_checked(bytes)?;
        matched.push((wildcard, part));
        if matches(rest, behind, matched, steps)? {
            return Some(true);
        }
        matched.pop();
    }
    Some(false)
}

fn filled(pieces: &[Piece<'_>], matched: &[(Wildcard, &[u8])]) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => path.extend_from_slice(text),
            Piece::Wildcard(wildcard) => {
                let (_, part) = matched.iter().find(|(known, _)| known == wildcard)?;
                path.extend_from_slice(part);
            }
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(from: &str, to: &str, path: &str) -> Option<Option<String>> {
        let found = translate(from.as_bytes(), to.as_bytes(), path.as_bytes());
        found.map(|path| path.map(|path| String::from_utf8_lossy(&path).into_owned()))
    }

    #[test]
    fn paths_are_translated() {
        let of = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(through("//w/...", "//d/m/...", "//w/a/b.c"), of("//d/m/a/b.c"));
        assert_eq!(through("//w/%%2/%%1", "//d/%%1/src/%%2", "//w/a/b"), of("//d/b/src/a"));
        assert_eq!(through("//w/*/....c", "//d/*/x/....c", "//w/q/a/b.c"), of("//d/q/x/a/b.c"));
        assert_eq!(through("//w/*", "//d/*", "//w/a/b"), None);
        assert_eq!(through("//w/a", "//d/*", "//w/a"), Some(None));
    }

    #[test]
    fn a_pattern_that_takes_too_long_is_given_up() {
        let path = format!("//w/{}", "a".repeat(120));
        assert_eq!(through("//w/*a*a*a*a*a*ax*", "//d/*", &path), Some(None));
    }
}
