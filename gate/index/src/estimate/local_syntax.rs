//! Converts file paths on a client's machine to client syntax.

/// Converts a path on the client's machine to client syntax (`//client/...`), by the first of the
/// `roots` (the client's Root and AltRoots) that is the path itself or contains it. None if there
/// is no such root, if `..` leads above the root of the file system, or if the path is relative and
/// the working directory `directory` is unknown.
///
/// `path` is an argument of a p4 command, in which special characters of file names are encoded
/// (such as `@` as `%40`); in the working directory and the roots they are not (`p4 help
/// filenames`).
#[must_use]
pub fn client_path(
    client: &[u8],
    roots: &[Vec<u8>],
    path: &[u8],
    directory: Option<&[u8]>,
) -> Option<Vec<u8>> {
    let absolute_path = if is_absolute(path) {
        path.to_vec()
    } else {
        [&encoded(directory?)[..], b"/", path].concat()
    };
    let is_windows = has_drive(&absolute_path);
    let names = names(&absolute_path, is_windows)?;
    roots.iter().find_map(|root| {
        let root = encoded(root);
        let root_names = self::names(&root, is_windows).filter(|_| is_absolute(&root))?;
        let (names_above, names_below_root) = names.split_at_checked(root_names.len())?;
        let is_above = names_above
            .iter()
            .zip(&root_names)
            .all(|(one, other)| is_same_path(one, other, is_windows));
        is_above.then(|| [&[b"//", client].concat()[..], &names_below_root.join(&b'/')].join(&b'/'))
    })
}

/// Whether a path on the client's machine begins with a slash or with a drive such as `C:\` or
/// `C:/`.
#[must_use]
pub fn is_absolute(path: &[u8]) -> bool {
    path.starts_with(b"/") || has_drive(path)
}

fn has_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// The names in a file path, with `.` and `..` resolved; None if `..` leads above the root of the
/// file system.
fn names(path: &[u8], is_windows: bool) -> Option<Vec<&[u8]>> {
    let mut names = Vec::new();
    for name in path.split(|byte| *byte == b'/' || (is_windows && *byte == b'\\')) {
        match name {
            b"" | b"." => {}
            b".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names)
}

fn is_same_path(one: &[u8], other: &[u8], is_windows: bool) -> bool {
    if is_windows { one.eq_ignore_ascii_case(other) } else { one == other }
}

fn encoded(path: &[u8]) -> Vec<u8> {
    let mut to = Vec::with_capacity(path.len());
    for byte in path {
        match byte {
            b'@' => to.extend_from_slice(b"%40"),
            b'#' => to.extend_from_slice(b"%23"),
            b'%' => to.extend_from_slice(b"%25"),
            b'*' => to.extend_from_slice(b"%2A"),
            byte => to.push(*byte),
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_path_of(root: &str, path: &str, directory: Option<&str>) -> Option<String> {
        let roots = [b"/other".to_vec(), root.as_bytes().to_vec()];
        let result = client_path(b"ws", &roots, path.as_bytes(), directory.map(str::as_bytes));
        result.map(|path| String::from_utf8_lossy(&path).into_owned())
    }

    #[test]
    fn local_paths_below_a_root_are_mapped_to_client_paths() {
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(
            client_path_of("/home/ann/ws", "/home/ann/ws/main/...", None),
            of("//ws/main/...")
        );
        assert_eq!(
            client_path_of("/home/ann/ws/", "...", Some("/home/ann/ws/main")),
            of("//ws/main/...")
        );
        assert_eq!(
            client_path_of("/home/ann/ws", "../*.c", Some("/home/ann/ws/main")),
            of("//ws/*.c")
        );
        assert_eq!(client_path_of("/w#1", "a%40b", Some("/w#1/x@y")), of("//ws/x%40y/a%40b"));
        assert_eq!(client_path_of("c:\\ws", "C:\\WS\\main\\...", None), of("//ws/main/..."));
        assert_eq!(client_path_of("/", "/a/...", None), of("//ws/a/..."));
        assert_eq!(client_path_of("/home/ann/ws", "/home/ann/ws", None), of("//ws/"));
    }

    #[test]
    fn local_paths_that_match_no_root_are_unknown() {
        assert_eq!(client_path_of("/home/ann/ws", "/home/ann/ws2/...", None), None);
        assert_eq!(client_path_of("/home/ann/ws", "main/...", None), None);
        assert_eq!(
            client_path_of("/home/ann/ws", "../../../../../...", Some("/home/ann/ws")),
            None
        );
        assert_eq!(client_path_of("null", "null/...", Some("/")), None);
        assert_eq!(client_path_of("/home/Ann", "/home/ann/x", None), None);
    }
}
