mod parts;

use parts::{omitted_count, parts, place};
use std::ops::Range;

/// Of a start line in a text log, or of each part in a structured log; the rest is cut.
pub const MAX_BYTES: usize = 256 << 10;
/// p4d appends it to the program of a command that came through a broker.
const BROKERED: &[u8] = b" (brokered)";

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
    pub is_brokered: bool,
    /// p4d or this log reader cut off the end of the arguments.
    pub is_cut: bool,
    /// p4d omits arguments from the middle of a long list, and writes ` (195) ` in their place.
    pub omitted_arguments: Option<u64>,
}

type Span = Range<u32>;

#[derive(Debug, Clone, Copy)]
pub struct Parts<'p> {
    pub user: &'p [u8],
    pub client: &'p [u8],
    /// The user's machine; before it, each followed by a slash, the intermediate servers.
    pub address: &'p [u8],
    pub prog: &'p [u8],
    pub version: &'p [u8],
    /// Such as `user-sync`.
    pub command: &'p [u8],
    pub args: &'p [u8],
}

impl Request {
    /// From the user on, without date and process; for a structured log, the parts joined without
    /// separators.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn user(&self) -> Option<&[u8]> {
        self.part(&self.user)
    }

    pub fn client(&self) -> Option<&[u8]> {
        self.part(&self.client)
    }

    /// Or the word in its place, such as `background`.
    pub fn ip(&self) -> Option<&[u8]> {
        self.part(&self.ip)
    }

    /// The proxy, broker or edge server, or several joined by slashes; None if the client connected
    /// directly.
    pub fn via(&self) -> Option<&[u8]> {
        self.part(&self.via)
    }

    /// As in the trigger variable `%clientprog%`.
    pub fn prog(&self) -> Option<&[u8]> {
        self.part(&self.prog)
    }

    /// As in the trigger variable `%clientversion%`.
    pub fn version(&self) -> Option<&[u8]> {
        self.part(&self.version)
    }

    /// Such as `user-fstat`, `dm-CommitSubmit` or `rmt-Journal`.
    pub fn command(&self) -> Option<&[u8]> {
        self.part(&self.command)
    }

    pub fn args(&self) -> &[u8] {
        span(&self.text, &self.args)
    }

    pub fn args_are_whole(&self) -> bool {
        !self.is_cut && self.omitted_arguments.is_none()
    }

    /// The form is `user@client ip [prog/version] 'command args`; false, without a change, if the
    /// text has another. `text` receives the previous start line, for reuse of its memory.
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

    /// A small buffer is kept for reuse.
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
