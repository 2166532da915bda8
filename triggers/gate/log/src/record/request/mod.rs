//! Start line of a logged command: user, client, address, program, version, command and arguments.

mod parts;

use parts::{omitted_count, parts, place};
use std::ops::Range;

/// Maximum number of bytes kept of a command's start line in a text log, or of each part of it in a
/// structured log; a longer line or part is cut.
pub const MAX_BYTES: usize = 256 << 10;
/// Suffix that p4d appends to the program in the start line of a command that came through a
/// broker.
const BROKERED: &[u8] = b" (brokered)";

/// A command's start line, from the user to the last argument as written in a text log, or the
/// joined parts in a structured log, with the positions of its parts.
#[derive(Debug, Default, Clone)]
pub struct Request {
    text: Vec<u8>,
    user: Span,
    client: Span,
    ip: Span,
    via: Span,
    prog: Span,
    version: Span,
    command: Span,
    args: Span,
    /// Whether the command came through a broker.
    pub is_brokered: bool,
    /// Whether the end of the command's arguments is missing, because p4d or this log reader cut it
    /// off.
    pub is_cut: bool,
    /// Number of arguments that p4d omitted from the middle of a long list and marked by a word
    /// such as ` (195) `; None if none are omitted.
    pub omitted_arguments: Option<u64>,
}

type Span = Range<u32>;

/// The parts of a command's start line, as separate texts.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'p> {
    /// Name of the user who sent the logged command.
    pub user: &'p [u8],
    /// Name of the client (workspace) that the command uses.
    pub client: &'p [u8],
    /// IP address of the user's machine; before it, each followed by a slash, the addresses of
    /// intermediate servers.
    pub address: &'p [u8],
    /// Name of the client program that sent the command.
    pub prog: &'p [u8],
    /// Version of the client program that sent the command.
    pub version: &'p [u8],
    /// Name of the command, such as `user-sync`.
    pub command: &'p [u8],
    /// Text of the command's arguments; empty if it has none.
    pub args: &'p [u8],
}

impl Request {
    /// The text of the start line from the user on, without date and process, by which the log
    /// parser recognizes a repeated start line; for a structured log, its parts joined without
    /// separators.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Name of the user who sent the command; None if the start line is missing or names none.
    #[must_use]
    pub fn user(&self) -> Option<&[u8]> {
        self.part(&self.user)
    }

    /// Name of the client (workspace) that the command uses; None if the start line names none.
    #[must_use]
    pub fn client(&self) -> Option<&[u8]> {
        self.part(&self.client)
    }

    /// IP address of the machine from which the command came, or the word in its place, such as
    /// `background`; None if the start line has neither.
    #[must_use]
    pub fn ip(&self) -> Option<&[u8]> {
        self.part(&self.ip)
    }

    /// Address of the proxy, broker or edge server through which the command came, or several
    /// joined by slashes; None if the client connected directly.
    #[must_use]
    pub fn via(&self) -> Option<&[u8]> {
        self.part(&self.via)
    }

    /// Name of the client program, as in the trigger variable `%clientprog%`; None if it is
    /// unknown.
    #[must_use]
    pub fn prog(&self) -> Option<&[u8]> {
        self.part(&self.prog)
    }

    /// Version of the client program, as in the trigger variable `%clientversion%`; None if it is
    /// unknown.
    #[must_use]
    pub fn version(&self) -> Option<&[u8]> {
        self.part(&self.version)
    }

    /// Name of the command, such as `user-fstat`, `dm-CommitSubmit` or `rmt-Journal`; None if the
    /// start line is missing or names none.
    #[must_use]
    pub fn command(&self) -> Option<&[u8]> {
        self.part(&self.command)
    }

    /// Text of the command's arguments; empty if it has none.
    #[must_use]
    pub fn args(&self) -> &[u8] {
        span(&self.text, &self.args)
    }

    /// Whether the start line contains all arguments of the command, none omitted and none cut off.
    #[must_use]
    pub fn args_are_whole(&self) -> bool {
        !self.is_cut && self.omitted_arguments.is_none()
    }

    /// Replaces the start line by the given text, and locates the parts of it: `user@client ip
    /// [prog/version] 'command args`. `text` receives the previous start line, for reuse of its
    /// memory. Changes nothing and returns false if the text has another form.
    pub fn read(&mut self, text: &mut Vec<u8>, is_cut: bool) -> bool {
        let start = text.get(..MAX_BYTES).unwrap_or(text);
        let Some(request) = parts(start) else {
            return false;
        };
        let (length, omitted_arguments) = (start.len(), omitted_count(span(start, &request.args)));
        let is_cut = is_cut || length == MAX_BYTES;
        let text = std::mem::replace(text, std::mem::take(&mut self.text));
        *self = Request { text, is_cut, omitted_arguments, ..request };
        self.text.truncate(length);
        // The buffer may be that of a much longer line.
        self.text.shrink_to(length.max(1 << 12));
        true
    }

    /// Replaces the start line by separate parts, as structured logs contain them.
    pub fn set(&mut self, parts: &Parts<'_>) {
        let mut request = std::mem::take(self);
        request.clear();
        let slash = memchr::memrchr(b'/', parts.address);
        let (via, ip) = parts.address.split_at(slash.map_or(0, |slash| slash + 1));
        let bare = parts.prog.strip_suffix(BROKERED).unwrap_or(parts.prog);
        let args = parts.args.get(..MAX_BYTES).unwrap_or(parts.args);
        request.is_brokered = bare.len() < parts.prog.len();
        request.is_cut = args.len() < parts.args.len();
        request.user = request.append(parts.user);
        request.client = request.append(parts.client);
        request.via = request.append(via.strip_suffix(b"/").unwrap_or(via));
        request.ip = request.append(ip);
        request.prog = request.append(bare);
        request.version = request.append(parts.version);
        request.command = request.append(parts.command);
        request.args = request.append(args);
        request.omitted_arguments = omitted_count(args);
        *self = request;
    }

    fn append(&mut self, part: &[u8]) -> Span {
        let start = self.text.len();
        // Every part is cut to `MAX_BYTES`; no valid name of a user, client or program is longer.
        self.text.extend_from_slice(part.get(..MAX_BYTES).unwrap_or(part));
        place(start, self.text.len())
    }

    /// Clears the start line; a small buffer is kept for reuse.
    pub fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(1 << 12);
        let text = std::mem::take(&mut self.text);
        *self = Request { text, ..Request::default() };
    }

    fn part(&self, part: &Span) -> Option<&[u8]> {
        Some(span(&self.text, part)).filter(|part| !part.is_empty())
    }
}

fn span<'t>(text: &'t [u8], part: &Span) -> &'t [u8] {
    text.get(part.start as usize..part.end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request(text: &str) -> Request {
        let mut request = Request::default();
        assert!(request.read(&mut text.into(), false), "{text}");
        request
    }

    fn text(part: Option<&[u8]>) -> String {
        String::from_utf8_lossy(part.unwrap_or(b"-")).into_owned()
    }

    #[test]
    fn a_start_line_is_split_into_its_fields() {
        let request = request(
            "fred@fred_ws 10.1.4.213/10.1.3.243 [Helix P4V/NTX64/2019.2/1904275/v86 (brokered)] \
             'user-change -i",
        );
        assert_eq!(text(request.user()), "fred");
        assert_eq!(text(request.client()), "fred_ws");
        assert_eq!(text(request.via()), "10.1.4.213");
        assert_eq!(text(request.ip()), "10.1.3.243");
        assert_eq!(text(request.prog()), "Helix P4V/NTX64/2019.2/1904275");
        assert_eq!(text(request.version()), "v86");
        assert!(request.is_brokered);
        assert_eq!(text(request.command()), "user-change");
        assert_eq!(request.args(), b"-i");
    }

    #[test]
    fn a_start_line_does_not_keep_the_memory_of_a_longer_one() {
        let mut request = Request::default();
        let mut text = format!("u@c ip [p4] 'user-sync {}", "a".repeat(16 << 20)).into_bytes();
        assert!(request.read(&mut text, false));
        assert_eq!(request.text.len(), MAX_BYTES);
        assert!(request.text.capacity() < 2 * MAX_BYTES);
        let mut text = Vec::with_capacity(MAX_BYTES);
        text.extend_from_slice(b"u@c ip [p4] 'user-sync");
        assert!(request.read(&mut text, false));
        assert!(request.text.capacity() <= 1 << 13);
    }

    #[test]
    fn programs_are_separated_from_their_versions() {
        let of = |prog: &str| {
            let request = request(&format!("u@c background [{prog}] 'pull -i 1"));
            (text(request.prog()), text(request.version()))
        };
        let pair = |prog: &str, version: &str| (prog.to_owned(), version.to_owned());
        assert_eq!(
            of("p4/2016.2/LINUX26X86_64/1598668"),
            pair("p4", "2016.2/LINUX26X86_64/1598668")
        );
        assert_eq!(of("unnamed p4-python script/v81"), pair("unnamed p4-python script", "v81"));
        assert_eq!(
            of("c:\\gen.py [PY2.7.9+/P4PY2020.1/API2020.1/2051818]/v88"),
            pair("c:\\gen.py [PY2.7.9+/P4PY2020.1/API2020.1/2051818]", "v88")
        );
        assert_eq!(of("unknown"), pair("unknown", "-"));
    }

    #[test]
    fn the_number_of_omitted_arguments_is_read() {
        let of = |args: &str| {
            request(&format!("u@c 1.2.3.4 [p4/v86] 'user-sync {args}")).omitted_arguments
        };
        assert_eq!(of("-f //a/b@1  (195) //a/z@1"), Some(195));
        assert_eq!(of("-f a (824) z"), Some(824));
        assert_eq!(of("-f //depot/a (copy).txt"), None);
        assert_eq!(of("-f (1)"), None);
    }

    #[test]
    fn whitespace_in_arguments_is_kept() {
        let request =
            request("u@c unknown [p4/v86] 'user-populate -d    First\n\tSecond\n\t //a/...");
        assert_eq!(request.args(), b"-d    First\n\tSecond\n\t //a/...");
        assert!(request.args_are_whole());
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_read_without_a_panic(mut text: Vec<u8>) {
            Request::default().read(&mut text, false);
        }

        #[test]
        fn fields_of_a_request_are_substrings_of_its_text(text in "[a@ \\[\\]'/v(9)]{0,40}") {
            let mut request = Request::default();
            if request.read(&mut text.clone().into(), false) {
                let parts = [request.user(), request.client(), request.ip(), request.prog(), request.command()];
                for part in parts.into_iter().flatten() {
                    prop_assert!(text.contains(&*String::from_utf8_lossy(part)));
                }
            }
        }
    }
}
