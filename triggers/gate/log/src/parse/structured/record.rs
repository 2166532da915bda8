use crate::record::request::Parts;
use crate::units::numbers::natural;

/// Protocol level of 2020.1: from it on, records contain the identifier and the server.
const WITH_IDENTITY: u64 = 50;
/// Protocol level of 2022.2: from it on, records contain the group, a name for one user action.
pub const WITH_GROUP: u64 = 55;

/// Whether a log line starts a structured record, such as `0.55,1694447120,509959000,`.
pub fn is_record(line: &[u8]) -> bool {
    time_ns(line).is_some()
}

/// Nanoseconds since the Unix epoch; None if the line does not start a record.
pub fn time_ns(line: &[u8]) -> Option<u64> {
    let mut fields = line.splitn(4, |byte| *byte == b',');
    kind(fields.next()?)?;
    let (seconds, ns) = (natural(fields.next()?)?, natural(fields.next()?)?);
    fields.next()?;
    (ns < 1_000_000_000).then_some(())?;
    seconds.checked_mul(1_000_000_000)?.checked_add(ns)
}

/// None before 2020.1, if the name is empty, or if the line starts no record.
pub fn server(line: &[u8]) -> Option<Vec<u8>> {
    time_ns(line)?;
    let fields = fields(line);
    let (_, level) = kind(fields.first()?)?;
    fields.get(6).filter(|name| level >= WITH_IDENTITY && !name.is_empty()).cloned()
}

fn kind(field: &[u8]) -> Option<(u64, u64)> {
    let mut parts = field.splitn(2, |byte| *byte == b'.');
    Some((natural(parts.next()?)?, parts.next().map_or(Some(0), natural)?))
}

/// The fields with which every record of a command begins, and those of its type in `own_fields`.
pub struct Start<'f> {
    pub kind: u64,
    pub level: u64,
    pub time_ns: u64,
    pub pid: u64,
    pub number: u64,
    pub ident: &'f [u8],
    pub parts: Parts<'f>,
    pub args: &'f [u8],
    pub own_fields: &'f [Vec<u8>],
}

/// None if a field is missing or no number, as in records that are not about a command.
pub fn start(fields: &[Vec<u8>]) -> Option<Start<'_>> {
    let field = |index: usize| fields.get(index).map(Vec::as_slice);
    let (kind, level) = kind(field(0)?)?;
    let time_ns =
        natural(field(1)?)?.checked_mul(1_000_000_000)?.checked_add(natural(field(2)?)?)?;
    let number = if level < WITH_IDENTITY { 5 } else { 7 };
    let parts = Parts {
        user: field(number + 1)?,
        client: field(number + 2)?,
        command: field(number + 3)?,
        address: field(number + 4)?,
        prog: field(number + 5)?,
        version: field(number + 6)?,
        args: b"",
    };
    let ident = if level < WITH_IDENTITY { b"" } else { field(5)? };
    // Another text, such as a hyphen, stands for a missing identifier.
    let is_identifier = ident.iter().all(u8::is_ascii_hexdigit);
    let ident = if is_identifier { ident } else { b"" };
    let args = field(number + 7)?;
    let own_fields = number + 8 + usize::from(level >= WITH_GROUP);
    let (pid, number) = (natural(field(4)?)?, natural(field(number)?)?);
    let own_fields = fields.get(own_fields..).unwrap_or_default();
    Some(Start { kind, level, time_ns, pid, number, ident, parts, args, own_fields })
}

/// Structured records join arguments by colons, triggers receive them joined by blanks. The colon
/// after a drive letter is kept; any other colon inside an argument also becomes a blank.
pub fn words(args: &[u8]) -> Vec<u8> {
    let mut words = args.to_vec();
    for at in memchr::memchr_iter(b':', args) {
        let (before, after) = (args.get(..at).unwrap_or_default(), args.get(at + 1..));
        let is_letter = matches!(before, [b'A'..=b'Z' | b'a'..=b'z'])
            || matches!(before, [.., b':', b'A'..=b'Z' | b'a'..=b'z']);
        let is_drive = is_letter && matches!(after, Some([b'\\' | b'/', ..]));
        if let Some(byte) = words.get_mut(at).filter(|_| !is_drive) {
            *byte = b' ';
        }
    }
    words
}

/// Inside a quoted field a doubled quote stands for one (RFC 4180).
pub fn fields(record: &[u8]) -> Vec<Vec<u8>> {
    let (mut fields, mut quoted) = (vec![Vec::new()], false);
    let mut bytes = record.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if quoted && bytes.next_if_eq(&b'"').is_some() => push(&mut fields, b'"'),
            b'"' => quoted = !quoted,
            b',' if !quoted => fields.push(Vec::new()),
            byte => push(&mut fields, byte),
        }
    }
    fields
}

fn push(fields: &mut [Vec<u8>], byte: u8) {
    if let Some(last) = fields.last_mut() {
        last.push(byte);
    }
}
