//! The records of tables -> keys in the order of the table, and the values that are kept.

use crate::base::numbers::{ordered, put_number, put_text, take_number, take_text};
use crate::source::fields::Fields;
use memchr::memchr;
use std::borrow::Cow;

/// `db.domain`'s type of a client that is loaded.
pub const CLIENT: u64 = 99;

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
    /// Its option bits.
    pub options: u64,
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
    if kind != CLIENT {
        return Some(());
    }
    fields.skip(1)?;
    let roots = [fields.text()?, fields.text()?, fields.text()?];
    fields.skip(3)?;
    put_number(to, fields.number()? as u64);
    roots.iter().for_each(|root| put_text(to, root));
    fields.skip(1)?;
    let server_id = fields.any().and_then(|_stream| fields.any()).unwrap_or_default();
    put_text(to, &server_id);
    Some(())
}

impl Domain {
    /// Reads what `domain_value` wrote.
    #[must_use]
    pub fn read(mut value: &[u8]) -> Option<Self> {
        let kind = take_number(&mut value)?;
        if kind != CLIENT {
            return Some(Domain { kind, ..Domain::default() });
        }
        let options = take_number(&mut value)?;
        let mut roots = Vec::new();
        for _ in 0..3 {
            roots.push(take_text(&mut value)?.to_vec());
        }
        let server_id = take_text(&mut value)?.to_vec();
        Some(Domain { kind, options, roots, server_id })
    }
}
