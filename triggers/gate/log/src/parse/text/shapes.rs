use crate::units::local_time;
use crate::units::numbers::{natural, seconds_ns};
use memchr::memmem;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// About a command or about the server itself.
    Info,
    Error,
}

/// Headers are `Perforce server info:`, `Perforce proxy error:` and so on; other releases name
/// other products, so the first words are ignored. Also returns the text before the header, which
/// exists if the previous line was cut short without a line end.
pub fn header(line: &[u8]) -> Option<(Header, &[u8])> {
    if line == b"Perforce server info:" {
        return Some((Header::Info, b""));
    }
    let (kind, rest) = match line {
        [rest @ .., b' ', b'i', b'n', b'f', b'o', b':'] => (Header::Info, rest),
        [rest @ .., b' ', b'e', b'r', b'r', b'o', b'r', b':'] => (Header::Error, rest),
        _ => return None,
    };
    let program = rest.rsplit(|byte| *byte == b' ').next()?;
    let programs = [&b"server"[..], b"proxy", b"broker"];
    if !programs.iter().any(|name| program.eq_ignore_ascii_case(name)) {
        return None;
    }
    let product = memmem::rfind(rest, b"Perforce ").unwrap_or(0);
    Some((kind, line.get(..product)?.trim_ascii()))
}

/// A text log line that begins with a date and `pid N`, split into its parts.
#[derive(Debug, Clone, Copy)]
pub struct StampedLine<'l> {
    /// In the server's local time.
    pub date: &'l [u8; local_time::LENGTH],
    /// None except in lines about the server itself.
    pub fraction_ns: Option<u64>,
    pub pid: u64,
    pub rest: &'l [u8],
}

pub fn stamped_line(line: &[u8]) -> Option<StampedLine<'_>> {
    let (date, rest) = line.split_first_chunk()?;
    if !matches!(date, [_, _, _, _, b'/', _, _, b'/', _, _, b' ', _, _, b':', _, _, b':', _, _]) {
        return None;
    }
    let rest = rest.strip_prefix(b" ")?;
    let (fraction_ns, rest) = if rest.starts_with(b"pid ") {
        (None, rest)
    } else {
        let (fraction, rest) = word(rest);
        (Some(natural(fraction).filter(|ns| *ns < 1_000_000_000)?), rest)
    };
    let (pid, rest) = word(rest.strip_prefix(b"pid ")?);
    let pid = natural(pid.strip_suffix(b":").unwrap_or(pid))?;
    Some(StampedLine { date, fraction_ns, pid, rest })
}

#[derive(Debug, PartialEq)]
pub enum Ending<'l> {
    /// The text before the closing quote.
    Closed(&'l [u8]),
    /// The text before `' trigger`, and the name.
    Trigger(&'l [u8], &'l [u8]),
    /// The text before the report that the command's process exited unexpectedly.
    Died(&'l [u8]),
    /// Continuation lines follow, or the line was cut short.
    Open,
}

/// `text` is the start line or its last continuation line.
pub fn ending(text: &[u8]) -> Ending<'_> {
    const DIED: &[u8] = b"' exited unexpectedly, removed from monitor table.";
    if let Some(before) = text.strip_suffix(b"'") {
        let is_opening = before.ends_with(b"] ");
        return if is_opening { Ending::Open } else { Ending::Closed(before) };
    }
    if let Some(before) = text.strip_suffix(DIED) {
        return Ending::Died(before);
    }
    if let Some(position) = memmem::rfind(text, b"' trigger ") {
        let (before, name) = text.split_at(position);
        return Ending::Trigger(before, name.get(10..).unwrap_or_default());
    }
    Ending::Open
}

#[derive(Debug, PartialEq)]
pub enum Step {
    /// The command's duration in nanoseconds.
    Completed(u64),
    /// Nanoseconds since the command's start.
    Computed(u64),
}

/// Parses `completed .031s` or `compute end .031s`; also returns the text after the time, which may
/// contain usage counters.
pub fn step(rest: &[u8]) -> Option<(Step, &[u8])> {
    let (over, rest) = match rest.strip_prefix(b"completed ") {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix(b"compute end ")?),
    };
    let (seconds, usage) = word(rest);
    let lapse_ns = seconds_ns(seconds)?;
    let step = if over { Step::Completed(lapse_ns) } else { Step::Computed(lapse_ns) };
    Some((step, usage))
}

/// As printed by p4d; their presence in the log is inferred. Returns the text after these words.
pub fn server_start(line: &[u8]) -> Option<&[u8]> {
    const STARTS: [&[u8]; 3] =
        [b"Perforce Server starting", b"Helix Core Server starting", b"P4 Server starting"];
    STARTS.iter().find_map(|words| line.strip_prefix(*words))
}

/// Known kinds that no report uses, such as connections, message windows and transfers.
pub fn is_passed_over(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 9] = [
        b"server to client ",
        b"server to inter ",
        b"forwarder to unknown ",
        b"Forwarder set trusted client address ",
        b"Rpc himark:",
        b"NetSslTransport::SendOrReceive",
        b"Pull command ",
        b"locks acquired by blocking after ",
        b"Connection from ",
    ];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// Splits a text at its first blank: the first word, and the text after the blank.
pub fn word(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b' ', text) {
        Some(blank) => {
            (text.get(..blank).unwrap_or_default(), text.get(blank + 1..).unwrap_or_default())
        }
        None => (text, b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headers_of_all_products_are_recognized() {
        for line in ["Perforce server info:", "Helix Core Server info:", "P4 proxy info:"] {
            assert_eq!(header(line.as_bytes()), Some((Header::Info, &b""[..])), "{line}");
        }
        assert_eq!(header(b"Perforce server error:"), Some((Header::Error, &b""[..])));
        assert_eq!(header(b"\tPerforce server info:"), Some((Header::Info, &b""[..])));
        for line in ["info:", "more info:", "Perforce server info: x", "server information:"] {
            assert_eq!(header(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_header_after_a_truncated_line_is_recognized() {
        let line = b"\t2024/06/19 12:25:31 pid 7 ann@wsPerforce server info:";
        let before = &b"2024/06/19 12:25:31 pid 7 ann@ws"[..];
        assert_eq!(header(line), Some((Header::Info, before)));
    }

    #[test]
    fn a_start_line_ends_with_a_quote_a_trigger_an_unexpected_exit_or_not_yet() {
        assert_eq!(ending(b"u@c ip [p4] 'a b'"), Ending::Closed(b"u@c ip [p4] 'a b"));
        assert_eq!(ending(b"u@c ip [p4] 'a' trigger x"), Ending::Trigger(b"u@c ip [p4] 'a", b"x"));
        assert_eq!(
            ending(b"u@c ip [p4] 'a' trigger x'"),
            Ending::Closed(b"u@c ip [p4] 'a' trigger x")
        );
        let died = b"u@c ip [p4] 'a' exited unexpectedly, removed from monitor table.";
        assert_eq!(ending(died), Ending::Died(b"u@c ip [p4] 'a"));
        assert_eq!(ending(b"u@c ip [p4] '"), Ending::Open);
        assert_eq!(ending(b"u@c ip [p4] 'a -d one"), Ending::Open);
    }

    #[test]
    fn steps_are_read_with_a_time_and_optional_usage() {
        assert_eq!(step(b"completed .187s"), Some((Step::Completed(187_000_000), &b""[..])));
        let line = b"compute end .007s 3+1us 16+112io";
        assert_eq!(step(line), Some((Step::Computed(7_000_000), &b"3+1us 16+112io"[..])));
        assert_eq!(step(b"completed@ws 1.2.3.4 [p4] 'a'"), None);
    }

    proptest! {
        #[test]
        fn arbitrary_lines_are_read_without_a_panic(line: Vec<u8>) {
            let _ = (header(&line), stamped_line(&line), ending(&line), step(&line));
        }
    }
}
