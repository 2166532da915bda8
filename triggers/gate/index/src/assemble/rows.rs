//! Converts the records of database tables to sort keys and to the values that are kept from each
//! record, and decodes these values.

use crate::base::checksum::crc_32;
use crate::base::numbers::{ordered, put_number, put_text, take_number, take_text};
use crate::source::fields::Fields;
use memchr::memchr;

/// Type number in `db.domain` of a loaded client (not an unloaded one).
pub const CLIENT: u64 = 99;
/// Type number in `db.domain` of a loaded label.
pub const LABEL: u64 = 108;
/// Type numbers in `db.domain` of a stream: loaded and unloaded.
pub const STREAMS: [u64; 2] = [115, 83];
/// Length in bytes of the part of a `db.streamrelation` key after the dependent stream's name.
pub const RELATION_TAIL: usize = 8;

/// Bit in the client options of `db.domain` that is set for a readonly or partitioned client, whose
/// `db.have` records are not in checkpoints.
pub const HAS_OWN_HAVE: u64 = 0x10000;

/// Length in bytes of the part of a `db.rev` key after the path: NUL and revision number.
pub const REVISION_TAIL: usize = 8;
/// Length in bytes of the part of a head revision's key after the path: NUL, revision number, and a
/// digit for the table (`db.revhx` or `db.revdx`).
pub const HEAD_TAIL: usize = REVISION_TAIL + 1;
/// Length in bytes of the part of a `db.view` key after the client's name: NUL and the number of
/// the view line.
pub const VIEW_TAIL: usize = 8;

/// Returns the client's name from a path in client syntax (`//client/...`).
#[must_use]
pub fn client_of(path: &[u8]) -> &[u8] {
    let rest = path.strip_prefix(b"//").unwrap_or(path);
    let end = memchr(b'/', rest).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Encodes the part of a `db.rev` key after the path, from the record's fields after the path; None
/// if the revision number is missing.
#[must_use]
pub fn revision_tail(fields: &mut Fields<'_>) -> Option<[u8; REVISION_TAIL]> {
    // The bits of the revision number are inverted in the sort key, so that the latest revision of
    // a file sorts first.
    fields.number().map(|revision| tail(!(revision as u32)))
}

/// Encodes the part of a `db.revhx` or `db.revdx` key after the path, from the record's fields
/// after the path; None if the revision number is missing.
#[must_use]
pub fn head_tail(fields: &mut Fields<'_>, is_deleted: bool) -> Option<[u8; HEAD_TAIL]> {
    let mut tail = [b'0' + u8::from(is_deleted); HEAD_TAIL];
    let (front, _) = tail.split_first_chunk_mut::<REVISION_TAIL>()?;
    *front = revision_tail(fields)?;
    Some(tail)
}

/// Returns the time stored in a `db.have` record for a synced file, in seconds since the Unix
/// epoch, from the fields after the record's paths; 0 if absent. It is the file's modification time
/// on the client's disk (inferred from real checkpoints), so a recent time indicates a sync,
/// whereas an old time indicates nothing.
#[must_use]
pub fn file_time_s(fields: &mut Fields<'_>) -> u64 {
    let time_s = fields.skip(2).and_then(|()| fields.number());
    time_s.and_then(|time_s| u64::try_from(time_s).ok()).unwrap_or(0)
}

/// Encodes the part of a `db.view` key after the client's name, from the record's fields after the
/// name; None if the line number is missing.
#[must_use]
pub fn view_tail(fields: &mut Fields<'_>) -> Option<[u8; VIEW_TAIL]> {
    fields.number().map(|line| tail(line as u32))
}

fn tail(number: u32) -> [u8; 8] {
    let [a, b, c, d, e, f, g] = ordered(number);
    [0, a, b, c, d, e, f, g]
}

/// A line of a client view, decoded from the stored value of a `db.view` record.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'v> {
    /// Flag of the view line in `db.view`: 1 excludes files, 3 is internal to the server; lines
    /// with other flags include files.
    pub flag: u64,
    /// The right side of the view line, in client syntax (`//client/...`).
    pub client: &'v [u8],
    /// The left side of the view line, in depot syntax (`//depot/...`).
    pub depot: &'v [u8],
}

/// Encodes the kept value of a `db.view` record (flag, client side, depot side), from the fields
/// after its key. None if a field is missing or the depot side contains NUL.
#[must_use]
pub fn view_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    put_number(to, fields.number()? as u64);
    put_text(to, &fields.text()?);
    let depot = fields.text()?;
    put_text(to, &depot);
    (!depot.contains(&0)).then_some(())
}

impl<'v> Line<'v> {
    /// Decodes a view line encoded by `view_value`; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut value: &'v [u8]) -> Option<Self> {
        let flag = take_number(&mut value)?;
        Some(Line { flag, client: take_text(&mut value)?, depot: take_text(&mut value)? })
    }

    /// Whether the view line includes files, that is, neither excludes them nor is internal (flag
    /// 3).
    #[must_use]
    pub fn includes(&self) -> bool {
        !matches!(self.flag, 1 | 3)
    }
}

/// The kept fields of a `db.domain` record, which is the specification of a client, stream or other
/// object.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Type number of the specification in `db.domain`: 99 for a client, 115 or 83 for a stream,
    /// other numbers for other kinds of specification.
    pub kind: u64,
    /// Time at which the client or other specification was last saved, in seconds since the Unix
    /// epoch.
    pub updated_s: u64,
    /// Time at which the client or other specification was last used, in seconds since the Unix
    /// epoch.
    pub used_s: u64,
    /// Option bits of the client, as stored in `db.domain`; 0 for other specifications.
    pub options: u64,
    /// Name of the client's stream; empty if the client has no stream.
    pub stream: Vec<u8>,
    /// The client's Root and two AltRoots, in this order; a root that is not set is an empty text.
    pub roots: Vec<Vec<u8>>,
    /// The `ServerID` of the server that the client is bound to; empty if the client is not bound.
    pub server_id: Vec<u8>,
    /// Name of the user who owns the client; empty if the client has no owner.
    pub owner: Vec<u8>,
    /// The field `Revision` of a label, such as `@15`; empty if the label is static.
    pub revision: Vec<u8>,
}

/// Encodes the kept fields of a `db.domain` record, from the fields after its name, which are:
/// type, host, root and two alternative roots, owner, update and access time, options, description,
/// stream (since 2011.1), server (since 2012.1). Of a label, whose revision is in place of the host,
/// type, times and revision are kept, of other specifications type and times. None if a required field is missing.
#[must_use]
pub fn domain_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    let kind = fields.number()? as u64;
    put_number(to, kind);
    let host_or_revision = fields.text()?;
    let roots = [fields.text()?, fields.text()?, fields.text()?];
    let owner = fields.text()?;
    for _ in 0..2 {
        put_number(to, fields.number()?.max(0) as u64);
    }
    if kind == LABEL {
        put_text(to, &host_or_revision);
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
    put_text(to, &owner);
    Some(())
}

/// Encodes the kept fields of a `db.stream` record (type and parent), from the fields after its
/// name: parent, title, type. None if a field is missing.
#[must_use]
pub fn stream_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    let parent = fields.any()?;
    fields.skip(1)?;
    put_number(to, fields.number()?.max(0) as u64);
    put_text(to, if parent == &b"none"[..] { b"" } else { &parent });
    Some(())
}

/// Decodes a stream's type and its parent from the value that `stream_value` encoded; the parent is
/// empty if the stream has none. None if the bytes are invalid.
#[must_use]
pub fn stream_read(mut value: &[u8]) -> Option<(u64, &[u8])> {
    Some((take_number(&mut value)?, take_text(&mut value)?))
}

/// Encodes the part of a `db.streamrelation` key after the dependent stream's name: a checksum of
/// the source stream's name. The record's first field is the source stream, the second the
/// dependent stream.
#[must_use]
pub fn relation_tail(source: &[u8]) -> [u8; RELATION_TAIL] {
    tail(crc_32(&source.to_ascii_lowercase()))
}

impl Domain {
    /// Decodes the fields that `domain_value` encoded; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut value: &[u8]) -> Option<Self> {
        let kind = take_number(&mut value)?;
        let (updated_s, used_s) = (take_number(&mut value)?, take_number(&mut value)?);
        if kind != CLIENT {
            let revision = take_text(&mut value).unwrap_or_default().to_vec();
            return Some(Domain { kind, updated_s, used_s, revision, ..Domain::default() });
        }
        let options = take_number(&mut value)?;
        let mut roots = Vec::new();
        for _ in 0..3 {
            roots.push(take_text(&mut value)?.to_vec());
        }
        let mut text = || take_text(&mut value).map(<[u8]>::to_vec);
        let (stream, server_id, owner) = (text()?, text()?, text()?);
        let revision = Vec::new();
        Some(Domain { kind, updated_s, used_s, options, stream, roots, server_id, owner, revision })
    }

    /// The client's Root and AltRoots, without those that are not set.
    pub fn named_roots(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.roots.iter().filter(|root| !root.is_empty())
    }

    /// Whether the `db.domain` record is a stream's, loaded or unloaded.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        STREAMS.contains(&self.kind)
    }

    /// Time at which the specification was last saved or used, whichever is later, in seconds since
    /// the Unix epoch.
    #[must_use]
    pub fn last_s(&self) -> u64 {
        self.updated_s.max(self.used_s)
    }
}
