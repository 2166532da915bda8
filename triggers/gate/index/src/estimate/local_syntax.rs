//! Converts file paths on a client's machine to client syntax.

use std::borrow::Cow;

/// A client's roots and a working directory on its machine, for many paths.
#[derive(Debug)]
pub struct ClientRoots {
    directory: Option<Vec<u8>>,
    is_directory_of_windows: bool,
    drive: Option<Vec<u8>>,
    /// The one that contains the working directory is the first.
    roots: Vec<Root>,
    orders: usize,
}

/// Names of the directories of a root, as of Unix and as of Windows; None for a root that is
/// relative, and as of Windows for one with neither a drive nor a share.
#[derive(Debug)]
struct Root([Option<Vec<Vec<u8>>>; 2]);

impl Root {
    fn new(root: &[u8]) -> Self {
        let root = encoded(root);
        Root([false, true].map(|is_windows| {
            let is_one = if is_windows {
                is_of_windows(&root) || root.starts_with(b"//")
            } else {
                is_absolute(&root)
            };
            let names = names(&root, is_windows).filter(|_| is_one)?;
            Some(names.into_iter().map(<[u8]>::to_vec).collect())
        }))
    }

    fn names(&self, is_windows: bool) -> Option<&Vec<Vec<u8>>> {
        let Root([of_unix, of_windows]) = self;
        if is_windows { of_windows.as_ref() } else { of_unix.as_ref() }
    }

    /// The names below it; None if it does not contain them.
    fn below<'p, 'n>(&self, names: &'p [&'n [u8]], is_windows: bool) -> Option<&'p [&'n [u8]]> {
        let root = self.names(is_windows)?;
        let (above, below) = names.split_at_checked(root.len())?;
        let is_same = |(one, other): (&&[u8], &Vec<u8>)| is_same_path(one, other, is_windows);
        above.iter().zip(root).all(is_same).then_some(below)
    }

    fn contains(&self, other: &Root) -> bool {
        [false, true].into_iter().any(|is_windows| {
            let names = other.names(is_windows).map(|it| it.iter().map(Vec::as_slice).collect());
            names.is_some_and(|names: Vec<_>| self.below(&names, is_windows).is_some())
        })
    }
}

impl ClientRoots {
    /// Prepares a client's Root and AltRoots and the user's working directory, if it is known.
    pub fn new(roots: &[Vec<u8>], directory: Option<&[u8]>) -> Self {
        let drive = directory.filter(|directory| has_drive(directory)).and_then(|it| it.get(..2));
        let mut roots: Vec<Root> = roots.iter().map(|root| Root::new(root)).collect();
        let here = directory.map(Root::new);
        let first = here.and_then(|here| roots.iter().position(|root| root.contains(&here)));
        let is_within = |at: usize| {
            roots.iter().enumerate().any(|(number, other)| {
                number != at && roots.get(at).is_some_and(|root| other.contains(root))
            })
        };
        let is_ambiguous = first.is_none() && (0..roots.len()).any(is_within);
        let orders = if is_ambiguous { roots.len() } else { 1 };
        if let Some(front) = first.and_then(|first| roots.get_mut(..=first)) {
            front.rotate_right(1);
        }
        ClientRoots {
            directory: directory.map(encoded),
            is_directory_of_windows: directory.is_some_and(is_of_windows),
            drive: drive.map(<[u8]>::to_vec),
            roots,
            orders,
        }
    }

    /// In how many orders the roots have to be tried: 1 unless one is within another and none
    /// contains the working directory.
    pub fn orders(&self) -> usize {
        self.orders
    }

    /// Converts a path on the client's machine to client syntax (`//client/...`), by the first of the
    /// roots that is the path itself or contains it (p4 help client). `first`, below `orders`, numbers
    /// the root that is tried first; of one order it is 0, the root that contains the working directory,
    /// if one does. None if there is no such root, if `..` leads above the root of a Unix file system,
    /// or if the path is relative and the working directory is unknown. As in the Perforce API source
    /// `sys/pathnt.cc`, a path from the root of a drive (`\dir`) is on the working directory's drive,
    /// but never on its share, and `..` at the root of a drive or of a share is ignored.
    ///
    /// `path` is an argument of a p4 command, in which special characters of file names are encoded
    /// (such as `@` as `%40`); in the working directory and the roots they are not (`p4 help
    /// filenames`).
    pub fn client_path(&self, client: &[u8], path: &[u8], first: usize) -> Option<Vec<u8>> {
        let absolute_path = match (path, &self.drive) {
            _ if is_of_windows(path) => Cow::Borrowed(path),
            ([b'/' | b'\\', ..], Some(drive)) => [&drive[..], path].concat().into(),
            ([b'/', ..], None) => path.into(),
            ([b'\\', ..], None) if self.is_directory_of_windows => return None,
            _ => [self.directory.as_deref()?, b"/", path].concat().into(),
        };
        let is_windows = is_of_windows(&absolute_path);
        let names = names(&absolute_path, is_windows)?;
        let mut roots = self.roots.get(first).into_iter().chain(&self.roots);
        let below = roots.find_map(|root| root.below(&names, is_windows))?;
        Some(client_syntax(client, below))
    }
}

fn client_syntax(client: &[u8], names: &[&[u8]]) -> Vec<u8> {
    let bytes: usize = names.iter().map(|name| name.len() + 1).sum();
    let mut to = Vec::with_capacity(client.len() + bytes + 3);
    to.extend_from_slice(b"//");
    to.extend_from_slice(client);
    to.push(b'/');
    for (number, name) in names.iter().enumerate() {
        if number > 0 {
            to.push(b'/');
        }
        to.extend_from_slice(name);
    }
    to
}
/// Whether a path on the client's machine begins with a slash, with a drive such as `C:\` or `C:/`,
/// or with the two backslashes of a share (`\\host\share`).
pub fn is_absolute(path: &[u8]) -> bool {
    path.starts_with(b"/") || is_of_windows(path)
}

pub fn is_of_windows(path: &[u8]) -> bool {
    has_drive(path) || path.starts_with(br"\\")
}

pub fn has_drive(path: &[u8]) -> bool {
    matches!(path, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// The names in a file path, with `.` and `..` resolved, after two slashes for a share. `..` at the
/// root of a drive (`C:\`) or of a share (`\\host\share\`) is ignored; None if `..` leads above the
/// root of a Unix file system.
fn names(path: &[u8], is_windows: bool) -> Option<Vec<&[u8]>> {
    let is_share = is_windows && matches!(path, [b'/' | b'\\', b'/' | b'\\', ..]);
    let root_names = if is_share { 3 } else { 1 };
    let mut names = if is_share { vec![&b"//"[..]] } else { Vec::new() };
    for name in path.split(|byte| *byte == b'/' || (is_windows && *byte == b'\\')) {
        match name {
            b"" | b"." => {}
            b".." if is_windows && names.len() <= root_names => {}
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

/// A path on the client's machine as an argument spells it, with its special characters encoded.
pub fn encoded(path: &[u8]) -> Vec<u8> {
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
        let roots = ClientRoots::new(&roots, directory.map(str::as_bytes));
        let result = roots.client_path(b"ws", path.as_bytes(), 0);
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
    fn windows_paths_may_begin_with_a_share_or_with_the_drive_of_the_directory() {
        let of = |text: &str| Some(text.to_owned());
        let (share, ws) = (r"\\nas\ws", r"C:\ws");
        assert_eq!(client_path_of(share, r"\\NAS\ws\main\...", Some(ws)), of("//ws/main/..."));
        assert_eq!(client_path_of("//nas/ws", r"\\nas\ws\...", None), of("//ws/..."));
        assert_eq!(client_path_of(share, r"..\b\...", Some(r"\\nas\ws\a")), of("//ws/b/..."));
        assert_eq!(client_path_of(ws, r"\\nas\ws\main\...", Some(ws)), None);
        assert_eq!(client_path_of("/nas/ws", r"\\nas\ws\...", Some("/nas/ws")), None);
        assert_eq!(client_path_of(ws, r"\ws\main\...", Some(r"C:\ws\a")), of("//ws/main/..."));
        assert_eq!(client_path_of(ws, "/ws/main/...", Some(r"c:\tmp")), of("//ws/main/..."));
        assert_eq!(client_path_of("/ws", r"\a\...", Some("/ws")), of(r"//ws/\a\..."));
        for path in ["...", "/...", r"C:\..."] {
            assert_eq!(client_path_of("/", path, Some(r"C:\ws")), None);
        }
    }

    #[test]
    fn two_dots_above_a_drive_or_a_share_are_ignored() {
        let of = |text: &str| Some(text.to_owned());
        let (share, drive) = (r"\\nas\ws", r"D:\");
        assert_eq!(client_path_of(share, r"..\..\...", Some(r"\\nas\ws\a")), of("//ws/..."));
        assert_eq!(client_path_of(drive, r"..\..\...", Some(r"D:\main")), of("//ws/..."));
        assert_eq!(client_path_of(r"C:\", r"..\..\...", Some(r"D:\main")), None);
    }

    #[test]
    fn a_path_that_begins_with_a_backslash_is_not_below_the_share_of_the_directory() {
        let (share, directory) = (r"\\nas\ws", Some(r"\\nas\ws\a"));
        assert_eq!(client_path_of(share, r"\b\...", directory), None);
        assert_eq!(client_path_of(share, r"\nas\ws\...", directory), None);
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

    #[test]
    fn the_root_of_the_working_directory_is_taken_or_each_if_it_is_in_none() {
        let roots = ["/ws/sub", "/ws", r"C:\ws"].map(|root| root.as_bytes().to_vec());
        let paths = |path: &str, directory: Option<&str>| {
            let roots = ClientRoots::new(&roots, directory.map(str::as_bytes));
            let path_by = |first| roots.client_path(b"ws", path.as_bytes(), first);
            let paths = (0..roots.orders()).map(path_by);
            let texts = paths.map(|path| String::from_utf8(path.unwrap_or_default()).ok());
            texts.flatten().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(paths("sub/tiny/...", Some("/ws")), "//ws/sub/tiny/...");
        assert_eq!(paths("tiny/...", Some("/ws/sub/x/..")), "//ws/tiny/...");
        assert_eq!(paths("/ws/sub/...", Some("/ws/other")), "//ws/sub/...");
        assert_eq!(paths("/ws/a/...", Some("/ws/sub")), "//ws/a/...");
        assert_eq!(paths("/ws/sub/...", Some("/tmp")), "//ws/... //ws/sub/... //ws/...");
        assert_eq!(paths("/ws/a/...", None), "//ws/a/... //ws/a/... //ws/a/...");
        assert_eq!(paths(r"c:\WS\a\...", Some(r"C:\ws\b")), "//ws/a/...");
    }
}
