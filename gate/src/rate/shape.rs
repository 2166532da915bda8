//! The shape of a command: its name and argument words, with each path reduced to its revision.
//!
//! A query that a script splits into one command per file has many argument texts, but usually only
//! one shape.

/// Computes the shape of a command: its name and argument words, where each path is reduced to its
/// revision, with each run of digits in the revision as `N`.
///
/// A word is a path if it contains `/` or `\`. The revision starts at the first `#` or `@`; file
/// names contain these characters only in encoded form (p4 help filespecs).
#[must_use]
pub fn shape(command: &[u8], args: &[u8]) -> Vec<u8> {
    let mut shape = command.to_vec();
    for word in args.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
        shape.push(b' ');
        if has_path(word) {
            let path = word.iter().position(|byte| matches!(byte, b'#' | b'@'));
            push_revision(&mut shape, word.get(path.unwrap_or(word.len())..).unwrap_or_default());
        } else {
            shape.extend_from_slice(word);
        }
    }
    shape
}

/// Whether a word, or the text of a command's arguments, contains `/` or `\`, as a path does.
#[must_use]
pub fn has_path(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'/' | b'\\'))
}

/// Appends a file argument's revision to the shape of a command; a run of digits becomes one `N`,
/// so that `#9` and `#10` are equal.
fn push_revision(shape: &mut Vec<u8>, revision: &[u8]) {
    let mut in_number = false;
    for byte in revision {
        let digit = byte.is_ascii_digit();
        if !digit {
            shape.push(*byte);
        } else if !in_number {
            shape.push(b'N');
        }
        in_number = digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(args: &str) -> String {
        String::from_utf8_lossy(&shape(b"fstat", args.as_bytes())).into_owned()
    }

    #[test]
    fn shape_drops_paths_and_keeps_options() {
        assert_eq!(of("-Ob //depot/a.c"), "fstat -Ob ");
        assert_eq!(of("-Ob //depot/a.c"), of("-Ob C:\\ws\\b.c"));
        assert_ne!(of("-Ob //depot/a.c"), of("-Ol //depot/a.c"));
        assert_ne!(of("-m10 //depot/a.c"), of("-m11 //depot/a.c"));
    }

    #[test]
    fn shape_keeps_revisions_without_their_numbers() {
        assert_eq!(of("//depot/a.c#9"), "fstat #N");
        assert_eq!(of("//depot/a.c#9"), of("//depot/bb.c#10"));
        assert_ne!(of("//depot/a.c#9"), of("//depot/a.c@9"));
        assert_eq!(of("//depot/...@2024/01/02:10:00:00"), "fstat @N/N/N:N:N:N");
    }

    #[test]
    fn shape_keeps_words_without_a_slash() {
        assert_eq!(of("a.c#9"), "fstat a.c#9");
        assert_eq!(of(""), "fstat");
    }
}
