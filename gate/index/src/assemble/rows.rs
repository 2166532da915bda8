//! The records of tables -> keys in the order of the table, and the values that are kept.

use crate::base::numbers::{ordered, put_number, put_text, take_number, take_text};
use crate::source::fields::Fields;
use memchr::memchr;
use std::borrow::Cow;

/// `db.domain`'s type of a client that is loaded.
pub const CLIENT: u64 = 99;
/// `db.domain`'s types of a stream, loaded or not.
const STREAMS: [u64; 2] = [115, 83];
/// Length in bytes of the part of a stream relation's key after the name.
pub const RELATION_TAIL: usize = 8;

/// Option bit of clients whose `db.have` records are in no checkpoint: readonly and partitioned.
pub const HAS_OWN_HAVE: u64 = 0x10000;

/// Length in bytes of the part of a revision's key after the path: NUL and the revision.
pub const REVISION_TAIL: usize = 8;
/// Length in bytes of the part of a head revision's key after the path: NUL, revision, table.
pub const HEAD_TAIL: usize = REVISION_TAIL + 1;
/// Length in bytes of the part of a view line's key after the name: NUL and the line's number.
pub const VIEW_TAIL: usize = 8;

/// A path or a name, the first value of a record; None where it is empty or holds a NUL byte,
/// which no server allows.
#[must_use]
pub fn name<'b>(fields: &mut Fields<'b>) -> Option<Cow<'b, [u8]>> {
    fields.text().filter(|name| !name.is_empty() && memchr(0, name).is_none())
}

/// The client of a path in client syntax: `//client/...`.
#[must_use]
pub fn client_of(path: &[u8]) -> &[u8] {
    let below = path.strip_prefix(b"//").unwrap_or(path);
    let end = memchr(b'/', below).unwrap_or(below.len());
    below.get(..end).unwrap_or_default()
}

/// The part of the key after the path, for a record of `db.rev`.
#[must_use]
pub fn revision_tail(fields: &mut Fields<'_>) -> Option<[u8; REVISION_TAIL]> {
    // The latest revision of a file comes first.
    fields.number().map(|revision| tail(!(revision as u32)))
}

/// The part of the key after the path, for a record of `db.revhx` or `db.revdx`.
#[must_use]
pub fn head_tail(fields: &mut Fields<'_>, is_deleted: bool) -> Option<[u8; HEAD_TAIL]> {
    let mut tail = [b'0' + u8::from(is_deleted); HEAD_TAIL];
    let (front, _) = tail.split_first_chunk_mut::<REVISION_TAIL>()?;
    *front = revision_tail(fields)?;
    Some(tail)
}

/// When a client got a file, for a record of `db.have` behind its paths, in seconds since the epoch;
/// 0 where it does not tell. It is the time of the file on the client's disk (inferred from real
/// checkpoints), so a later one is a sync, and an earlier one says nothing.
#[must_use]
pub fn had_since_s(fields: &mut Fields<'_>) -> u64 {
    let time_s = fields.skip(2).and_then(|()| fields.number());
    time_s.and_then(|time_s| u64::try_from(time_s).ok()).unwrap_or(0)
}

/// The part of the key after the name, for a record of `db.view`.
#[must_use]
pub fn view_tail(fields: &mut Fields<'_>) -> Option<[u8; VIEW_TAIL]> {
    fields.number().map(|line| tail(line as u32))
}

fn tail(number: u32) -> [u8; 8] {
    let [a, b, c, d, e, f, g] = ordered(number);
    [0, a, b, c, d, e, f, g]
}

/// A line of a view.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'v> {
    /// Its flag in `db.view`: 1 excludes, 3 is the server's own; all others include.
    pub flag: u64,
    /// The path in client syntax.
    pub client: &'v [u8],
    /// The path in depot syntax.
    pub depot: &'v [u8],
}

/// The value of a record of `db.view`, behind its key.
#[must_use]
pub fn view_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    put_number(to, fields.number()? as u64);
    put_text(to, &fields.text()?);
    let depot = fields.text()?;
    put_text(to, &depot);
    (!depot.contains(&0)).then_some(())
}

impl<'v> Line<'v> {
    /// Reads what `view_value` wrote.
    #[must_use]
    pub fn read(mut value: &'v [u8]) -> Option<Self> {
        let flag = take_number(&mut value)?;
        Some(Line { flag, client: take_text(&mut value)?, depot: take_text(&mut value)? })
    }

    /// Whether it includes files.
    #[must_use]
    pub fn includes(&self) -> bool {
        !matches!(self.flag, 1 | 3)
    }
}

/// The fields kept of a specification.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Its type.
    pub kind: u64,
    /// When it was saved last, in seconds since the epoch.
    pub updated_s: u64,
    /// When it was used last.
    pub used_s: u64,
    /// Its option bits.
    pub options: u64,
    /// Its stream; empty where it is of none.
    pub stream: Vec<u8>,
    /// Its Root, then its AltRoots.
    pub roots: Vec<Vec<u8>>,
    /// The server that it is bound to; empty where it is bound to none.
    pub server_id: Vec<u8>,
}

/// The value of a record of `db.domain`, behind its name: type, host, root and two other roots,
/// owner, two times, options, description, and since 2011.1 and 2012.1 stream and server.
#[must_use]
pub fn domain_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    let kind = fields.number()? as u64;
    put_number(to, kind);
    fields.skip(1)?;
    let roots = [fields.text()?, fields.text()?, fields.text()?];
    fields.skip(1)?;
    for _ in 0..2 {
        put_number(to, fields.number()?.max(0) as u64);
    }
    if kind != CLIENT {
        return Some(());
    }
    put_number(to, fields.number()? as u64);
    roots.iter().for_each(|root| put_text(to, root));
    fields.skip(1)?;
    for _ in 0..2 {
        put_text(to, &fields.any().unwrap_or_default());
    }
    Some(())
}

/// The value of a record of `db.stream`, behind its name: the parent, the title, the type.
#[must_use]
pub fn stream_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    let parent = fields.any()?;
    fields.skip(1)?;
    put_number(to, fields.number()?.max(0) as u64);
    put_text(to, if parent == &b"none"[..] { b"" } else { &parent });
    Some(())
}

/// Reads what `stream_value` wrote: the type, and the parent, empty where there is none.
#[must_use]
pub fn stream_read(mut value: &[u8]) -> Option<(u64, &[u8])> {
    Some((take_number(&mut value)?, take_text(&mut value)?))
}

/// The part of the key after the name of the stream that depends on another, for a record of
/// `db.streamrelation`: the other stream is its first value, the one that depends its second.
#[must_use]
pub fn relation_tail(source: &[u8]) -> [u8; RELATION_TAIL] {
    tail(crc32fast::hash(&source.to_ascii_lowercase()))
}

impl Domain {
    /// Reads what `domain_value` wrote.
    #[must_use]
    pub fn read(mut value: &[u8]) -> Option<Self> {
        let kind = take_number(&mut value)?;
        let (updated_s, used_s) = (take_number(&mut value)?, take_number(&mut value)?);
        if kind != CLIENT {
            return Some(Domain { kind, updated_s, used_s, ..Domain::default() });
        }
        let options = take_number(&mut value)?;
        let mut roots = Vec::new();
        for _ in 0..3 {
            roots.push(take_text(&mut value)?.to_vec());
        }
        let (stream, server_id) =
            (take_text(&mut value)?.to_vec(), take_text(&mut value)?.to_vec());
        Some(Domain { kind, updated_s, used_s, options, stream, roots, server_id })
    }

    /// Its Root and AltRoots, as far as they are named.
    pub fn named_roots(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.roots.iter().filter(|root| !root.is_empty())
    }

    /// Whether it is a stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        STREAMS.contains(&self.kind)
    }

    /// When it was saved or used last.
    #[must_use]
    pub fn last_s(&self) -> u64 {
        self.updated_s.max(self.used_s)
    }
}
