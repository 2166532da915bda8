//! The start line of a command: who asks for what, with which program.

use std::ops::Range;

/// More of a start line is not kept; its arguments are then cut.
pub const MAX_BYTES: usize = 256 << 10;
/// What p4d adds to the program of a request that came through a broker.
const BROKERED: &[u8] = b" (brokered)";

/// A start line as it was written, from the user to the closing quote, and where its parts are.
#[derive(Debug, Default, Clone)]
pub struct Said {
    text: Vec<u8>,
    user: Span,
    client: Span,
    ip: Span,
    via: Span,
    prog: Span,
    version: Span,
    command: Span,
    args: Span,
    /// The request came through a broker.
    pub brokered: bool,
    /// The arguments are not all there: p4d, or this reader, cut them off.
    pub cut: bool,
    /// How many arguments p4d left out in the middle, as it does with long lists; ` (195) `
    /// stands there.
    pub left_out: Option<u64>,
}

type Span = Range<u32>;

/// The parts of a start.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'p> {
    /// Who asks.
    pub user: &'p [u8],
    /// From which client.
    pub client: &'p [u8],
    /// From which address, those between before it.
    pub address: &'p [u8],
    /// With which program.
    pub prog: &'p [u8],
    /// In which version.
    pub version: &'p [u8],
    /// For which command.
    pub command: &'p [u8],
    /// With which arguments.
    pub args: &'p [u8],
}

impl Said {
    /// The whole text; two lines with the same text of the same process are of one command.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Who asks; None where no start line was seen.
    #[must_use]
    pub fn user(&self) -> Option<&[u8]> {
        self.part(&self.user)
    }

    /// From which client.
    #[must_use]
    pub fn client(&self) -> Option<&[u8]> {
        self.part(&self.client)
    }

    /// From which address; where others stood between, that of the client.
    #[must_use]
    pub fn ip(&self) -> Option<&[u8]> {
        self.part(&self.ip)
    }

    /// The proxy, broker or edge it came through.
    #[must_use]
    pub fn via(&self) -> Option<&[u8]> {
        self.part(&self.via)
    }

    /// The program's name, as `%clientprog%` gives it to triggers.
    #[must_use]
    pub fn prog(&self) -> Option<&[u8]> {
        self.part(&self.prog)
    }

    /// The program's version, as `%clientversion%` gives it to triggers.
    #[must_use]
    pub fn version(&self) -> Option<&[u8]> {
        self.part(&self.version)
    }

    /// The command: `user-fstat`, `dm-CommitSubmit`, `rmt-Journal`.
    #[must_use]
    pub fn command(&self) -> Option<&[u8]> {
        self.part(&self.command)
    }

    /// The text of the arguments; empty if it has none.
    #[must_use]
    pub fn args(&self) -> &[u8] {
        span(&self.text, &self.args)
    }

    /// Whether the arguments' text is all that the user gave.
    #[must_use]
    pub fn args_are_whole(&self) -> bool {
        !self.cut && self.left_out.is_none()
    }

    /// Takes over a text, and finds its parts: `user@client ip [prog/version] 'command args`.
    /// Leaves all as it was, and returns false, if it is no such text.
    pub fn read(&mut self, text: &[u8], cut: bool) -> bool {
        let text = text.get(..MAX_BYTES).map_or((text, cut), |start| (start, true));
        let Some(mut said) = parts(text.0) else {
            return false;
        };
        std::mem::swap(&mut said.text, &mut self.text);
        said.text.clear();
        said.text.extend_from_slice(text.0);
        said.cut = text.1;
        said.left_out = left_out(span(&said.text, &said.args));
        *self = said;
        true
    }

    /// Takes over the parts of a start, where the log has them apart.
    pub fn set(&mut self, parts: &Parts<'_>) {
        let mut said = std::mem::take(self);
        said.clear();
        let slash = memchr::memrchr(b'/', parts.address);
        let (via, ip) = parts.address.split_at(slash.map_or(0, |slash| slash + 1));
        let bare = parts.prog.strip_suffix(BROKERED).unwrap_or(parts.prog);
        let args = parts.args.get(..MAX_BYTES).unwrap_or(parts.args);
        said.brokered = bare.len() < parts.prog.len();
        said.cut = args.len() < parts.args.len();
        said.user = said.put(parts.user);
        said.client = said.put(parts.client);
        said.via = said.put(via.strip_suffix(b"/").unwrap_or(via));
        said.ip = said.put(ip);
        said.prog = said.put(bare);
        said.version = said.put(parts.version);
        said.command = said.put(parts.command);
        said.args = said.put(args);
        said.left_out = left_out(args);
        *self = said;
    }

    fn put(&mut self, part: &[u8]) -> Span {
        let start = self.text.len();
        // A name of this length is none.
        self.text.extend_from_slice(part.get(..MAX_BYTES).unwrap_or(part));
        place(start, self.text.len())
    }

    /// Forgets all, but keeps a small text's place.
    pub fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(1 << 12);
        let text = std::mem::take(&mut self.text);
        *self = Said { text, ..Said::default() };
    }

    fn part(&self, part: &Span) -> Option<&[u8]> {
        Some(span(&self.text, part)).filter(|part| !part.is_empty())
    }
}

fn span<'t>(text: &'t [u8], part: &Span) -> &'t [u8] {
    text.get(part.start as usize..part.end as usize).unwrap_or_default()
}

/// Finds the parts; users choose clients, programs and arguments, so the first sign counts.
fn parts(text: &[u8]) -> Option<Said> {
    let open = find(text, 0, b'[', |before, _| before.ends_with(b" "))? - 1;
    let quote = find(text, open, b']', |_, after| after.starts_with(b" '"))? + 3;
    let names = text.get(..open)?;
    let at = memchr::memchr(b'@', names)?;
    let address = memchr::memrchr(b' ', names)?;
    if address < at {
        return None;
    }
    let rest = text.get(quote..)?;
    let command = quote + memchr::memchr(b' ', rest).unwrap_or(rest.len());
    let slash = memchr::memrchr(b'/', text.get(address..open)?).map(|slash| address + slash);
    let (prog, version, brokered) = program(text, open + 2, quote - 3)?;
    Some(Said {
        user: place(0, at),
        client: place(at + 1, address),
        via: slash.map_or(0..0, |slash| place(address + 1, slash)),
        ip: place(slash.unwrap_or(address) + 1, open),
        prog,
        version,
        command: place(quote, command),
        args: place(command + 1, text.len().max(command + 1)),
        brokered,
        ..Said::default()
    })
}

/// Where a byte stands that its neighbours tell from others like it; a search for several bytes
/// costs more to begin than start lines are long.
fn find(text: &[u8], from: usize, byte: u8, is_it: impl Fn(&[u8], &[u8]) -> bool) -> Option<usize> {
    let places = memchr::memchr_iter(byte, text.get(from..)?).map(|place| from + place);
    let mut places = places.filter_map(|place| Some((place, text.split_at_checked(place)?)));
    let found =
        places.find(|(_, (before, after))| is_it(before, after.get(1..).unwrap_or_default()));
    found.map(|(place, _)| place)
}

fn place(start: usize, end: usize) -> Span {
    // No text is longer than MAX_BYTES.
    start as u32..end as u32
}

/// Tells the program from its version: `Helix P4V/NTX64/2019.2/1904275` and `v86`, but `p4` and
/// `2016.2/LINUX26X86_64/1598668`. Structured logs have the two apart, and so it is there.
fn program(text: &[u8], start: usize, end: usize) -> Option<(Span, Span, bool)> {
    let whole = text.get(start..end)?;
    let bare = whole.strip_suffix(BROKERED).unwrap_or(whole);
    let brokered = bare.len() < whole.len();
    let end = start + bare.len();
    let last = memchr::memrchr(b'/', bare).filter(|slash| is_protocol(bare.get(slash + 1..)));
    let slash = last.or_else(|| memchr::memchr(b'/', bare));
    let version = slash.map_or(0..0, |slash| place(start + slash + 1, end));
    Some((place(start, slash.map_or(end, |slash| start + slash)), version, brokered))
}

fn is_protocol(text: Option<&[u8]>) -> bool {
    matches!(text, Some([b'v', digits @ ..]) if crate::numbers::natural(digits).is_some())
}

/// How many arguments were left out: a word ` (195) ` between the first ones and the last one.
fn left_out(args: &[u8]) -> Option<u64> {
    let counted = |after: &[u8]| {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        after.get(digits..).is_some_and(|rest| rest.starts_with(b") ")) && digits > 0
    };
    let open = find(args, 0, b'(', |before, after| before.ends_with(b" ") && counted(after))?;
    let close = memchr::memchr(b')', args.get(open..)?)?;
    crate::numbers::natural(args.get(open + 1..open + close)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> Said {
        let mut said = Said::default();
        assert!(said.read(text.as_bytes(), false), "{text}");
        said
    }

    fn text(part: Option<&[u8]>) -> String {
        String::from_utf8_lossy(part.unwrap_or(b"-")).into_owned()
    }

    #[test]
    fn a_start_line_has_its_parts() {
        let said = said(
            "fred@fred_ws 10.1.4.213/10.1.3.243 [Helix P4V/NTX64/2019.2/1904275/v86 (brokered)] \
             'user-change -i",
        );
        assert_eq!(text(said.user()), "fred");
        assert_eq!(text(said.client()), "fred_ws");
        assert_eq!(text(said.via()), "10.1.4.213");
        assert_eq!(text(said.ip()), "10.1.3.243");
        assert_eq!(text(said.prog()), "Helix P4V/NTX64/2019.2/1904275");
        assert_eq!(text(said.version()), "v86");
        assert!(said.brokered);
        assert_eq!(text(said.command()), "user-change");
        assert_eq!(said.args(), b"-i");
    }

    #[test]
    fn programs_are_told_from_their_versions() {
        let of = |prog: &str| {
            let said = said(&format!("u@c background [{prog}] 'pull -i 1"));
            (text(said.prog()), text(said.version()))
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
    fn arguments_that_were_left_out_are_counted() {
        let of = |args: &str| said(&format!("u@c 1.2.3.4 [p4/v86] 'user-sync {args}")).left_out;
        assert_eq!(of("-f //a/b@1  (195) //a/z@1"), Some(195));
        assert_eq!(of("-f a (824) z"), Some(824));
        assert_eq!(of("-f //depot/a (copy).txt"), None);
        assert_eq!(of("-f (1)"), None);
    }

    #[test]
    fn spaces_of_arguments_are_kept() {
        let said = said("u@c unknown [p4/v86] 'user-populate -d    First\n\tSecond\n\t //a/...");
        assert_eq!(said.args(), b"-d    First\n\tSecond\n\t //a/...");
        assert!(said.args_are_whole());
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text: Vec<u8>) {
            Said::default().read(&text, false);
        }

        #[test]
        fn parts_stay_within_the_text(text in "[a@ \\[\\]'/v(9)]{0,40}") {
            let mut said = Said::default();
            if said.read(text.as_bytes(), false) {
                let parts = [said.user(), said.client(), said.ip(), said.prog(), said.command()];
                for part in parts.into_iter().flatten() {
                    prop_assert!(text.contains(&*String::from_utf8_lossy(part)));
                }
            }
        }
    }
}
