use super::{BROKERED, Request, Span};

/// Users choose clients, programs and arguments, so the first `@`, the first ` [` and the first
/// `] '` after that count as separators.
pub fn parts(text: &[u8]) -> Option<Request> {
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
    let (prog, version, is_brokered) = program(text, open + 2, quote - 3)?;
    Some(Request {
        user: place(0, at),
        client: place(at + 1, address),
        via: slash.map_or(0..0, |slash| place(address + 1, slash)),
        ip: place(slash.unwrap_or(address) + 1, open),
        prog,
        version,
        command: place(quote, command),
        args: place(command + 1, text.len().max(command + 1)),
        is_brokered,
        ..Request::default()
    })
}

/// For a text as short as a start line this is faster than a search for several bytes.
fn find(text: &[u8], from: usize, byte: u8, is_it: impl Fn(&[u8], &[u8]) -> bool) -> Option<usize> {
    let places = memchr::memchr_iter(byte, text.get(from..)?).map(|place| from + place);
    let mut places = places.filter_map(|place| Some((place, text.split_at_checked(place)?)));
    let occurrence =
        places.find(|(_, (before, after))| is_it(before, after.get(1..).unwrap_or_default()));
    occurrence.map(|(place, _)| place)
}

pub fn place(start: usize, end: usize) -> Span {
    // Fits into 32 bits: none of the few parts is longer than `MAX_BYTES`.
    start as u32..end as u32
}

/// At the same slash as structured logs: `Helix P4V/NTX64/2019.2/1904275` and `v86`, but `p4` and
/// `2016.2/LINUX26X86_64/1598668`. Also returns whether the text ends in ` (brokered)`.
fn program(text: &[u8], start: usize, end: usize) -> Option<(Span, Span, bool)> {
    let program_text = text.get(start..end)?;
    let bare = program_text.strip_suffix(BROKERED).unwrap_or(program_text);
    let brokered = bare.len() < program_text.len();
    let end = start + bare.len();
    let last = memchr::memrchr(b'/', bare).filter(|slash| is_protocol(bare.get(slash + 1..)));
    let slash = last.or_else(|| memchr::memchr(b'/', bare));
    let version = slash.map_or(0..0, |slash| place(start + slash + 1, end));
    Some((place(start, slash.map_or(end, |slash| start + slash)), version, brokered))
}

fn is_protocol(text: Option<&[u8]>) -> bool {
    matches!(text, Some([b'v', digits @ ..]) if crate::units::numbers::natural(digits).is_some())
}

/// Stated as a word such as ` (195) ` between the first arguments and the last.
pub fn omitted_count(args: &[u8]) -> Option<u64> {
    let is_count = |after: &[u8]| {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        after.get(digits..).is_some_and(|rest| rest.starts_with(b") ")) && digits > 0
    };
    let open = find(args, 0, b'(', |before, after| before.ends_with(b" ") && is_count(after))?;
    let close = memchr::memchr(b')', args.get(open..)?)?;
    crate::units::numbers::natural(args.get(open + 1..open + close)?)
}
