use crate::base::order::is_same_name;

/// Some patterns would take exponential time.
const MAX_STEPS: u32 = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'p> {
    Text(&'p [u8]),
    /// The number tells wildcards of the same kind apart.
    Wildcard(Wildcard),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wildcard {
    Dots(usize),
    Star(usize),
    Numbered(u8),
}

/// Translates a path from one side of a view line to the other. None if the path does not match;
/// Some(None) if the result is unknown, because matching takes too long or `to` has a wildcard that
/// `from` lacks.
pub fn translate(from: &[u8], to: &[u8], path: &[u8], folds: bool) -> Option<Option<Vec<u8>>> {
    let (from, to) = (pieces(from), pieces(to));
    let mut attempt = Attempt { folds, matched_parts: Vec::new(), steps: 0 };
    match attempt.matches(&from, path) {
        Some(true) => Some(filled(&to, &attempt.matched_parts)),
        Some(false) => None,
        None => Some(None),
    }
}

fn pieces(mut pattern: &[u8]) -> Vec<Piece<'_>> {
    let (mut pieces, mut dots, mut stars) = (Vec::new(), 0, 0);
    while !pattern.is_empty() {
        let (text, rest) = crate::ranges::range::split(pattern);
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        let (wildcard, bytes) = match rest {
            [b'*', ..] => (Wildcard::Star(stars), 1),
            [b'%', b'%', digit, ..] => (Wildcard::Numbered(*digit), 3),
            [_, ..] => (Wildcard::Dots(dots), 3),
            [] => break,
        };
        dots += usize::from(matches!(wildcard, Wildcard::Dots(_)));
        stars += usize::from(matches!(wildcard, Wildcard::Star(_)));
        pieces.push(Piece::Wildcard(wildcard));
        pattern = rest.get(bytes..).unwrap_or_default();
    }
    pieces
}

/// One attempt to match a path with one side of a view line.
struct Attempt<'t> {
    folds: bool,
    matched_parts: Vec<(Wildcard, &'t [u8])>,
    steps: u32,
}

impl<'t> Attempt<'t> {
    /// None if matching takes too long.
    fn matches(&mut self, pieces: &[Piece<'_>], path: &'t [u8]) -> Option<bool> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let (wildcard, rest) = match pieces.split_first() {
            None => return Some(path.is_empty()),
            Some((Piece::Text(text), rest)) => {
                return match path.split_at_checked(text.len()) {
                    Some((front, path)) if is_same_name(front, text, self.folds) => {
                        self.matches(rest, path)
                    }
                    _ => Some(false),
                };
            }
            Some((Piece::Wildcard(wildcard), rest)) => (*wildcard, rest),
        };
        let slash = path.iter().position(|byte| *byte == b'/').unwrap_or(path.len());
        let longest = if matches!(wildcard, Wildcard::Dots(_)) { path.len() } else { slash };
        for bytes in (0..=longest).rev() {
            let (part, behind) = path.split_at_checked(bytes)?;
            self.matched_parts.push((wildcard, part));
            if self.matches(rest, behind)? {
                return Some(true);
            }
            self.matched_parts.pop();
        }
        Some(false)
    }
}

fn filled(pieces: &[Piece<'_>], matched: &[(Wildcard, &[u8])]) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => path.extend_from_slice(text),
            Piece::Wildcard(wildcard) => {
                let (_, part) = matched.iter().find(|(other, _)| other == wildcard)?;
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
        let path = translate(from.as_bytes(), to.as_bytes(), path.as_bytes(), false);
        path.map(|path| path.map(|path| String::from_utf8_lossy(&path).into_owned()))
    }

    #[test]
    fn paths_are_translated_by_matching_wildcards() {
        let of = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(through("//w/...", "//d/m/...", "//w/a/b.c"), of("//d/m/a/b.c"));
        assert_eq!(through("//w/%%2/%%1", "//d/%%1/src/%%2", "//w/a/b"), of("//d/b/src/a"));
        assert_eq!(through("//w/*/....c", "//d/*/x/....c", "//w/q/a/b.c"), of("//d/q/x/a/b.c"));
        assert_eq!(through("//w/*", "//d/*", "//w/a/b"), None);
        assert_eq!(through("//w/a", "//d/*", "//w/a"), Some(None));
        let folded = translate(b"//W/...", b"//d/...", b"//w/Ab", true);
        assert_eq!(folded, Some(Some(b"//d/Ab".to_vec())));
        assert_eq!(through("//W/...", "//d/...", "//w/Ab"), None);
    }

    #[test]
    fn a_match_with_too_many_steps_is_abandoned() {
        let path = format!("//w/{}", "a".repeat(120));
        assert_eq!(through("//w/*a*a*a*a*a*ax*", "//d/*", &path), Some(None));
    }
}
