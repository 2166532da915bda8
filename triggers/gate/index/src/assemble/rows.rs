use crate::base::checksum::crc_32;
use crate::base::numbers::{
    ORDERED_BYTES, last_ordered, ordered, put_number, put_text, take_number, take_text,
};
use crate::file::stream_view::{
    LineKind, Row, StreamLine, kind_of_line, put_inheritance, take_inheritance,
};
use crate::file::view_line::ViewLine;
use crate::source::fields::Fields;
use memchr::memchr;

/// Type in `db.domain` of a loaded client (not an unloaded one).
pub const CLIENT: u64 = 99;
pub const LABEL: u64 = 108;
/// Types in `db.domain`: loaded and unloaded.
pub const STREAMS: [u64; 2] = [115, 83];
pub const RELATION_TAIL: usize = 8;
/// In a `db.template` key after the stream's name: NUL, changelist and number of the line.
pub const TEMPLATE_TAIL: usize = 15;
/// Of `db.stream` and `db.template`, the last whose fields are known ("P4 Server Schema" r24.1).
const LAST_STREAM_LAYOUT: u32 = 3;
/// From this one on `db.stream` ends with the stream's ParentView.
const LAYOUT_WITH_PARENT_VIEW: u32 = 2;

/// Client option in `db.domain` of readonly and partitioned clients, whose `db.have` records are
/// not in checkpoints.
pub const HAS_OWN_HAVE: u64 = 0x10000;

/// In a `db.rev` key after the path: NUL and revision number.
pub const REVISION_TAIL: usize = 8;
/// After the path: NUL, revision number, and a digit for `db.revhx` or `db.revdx`.
pub const HEAD_TAIL: usize = REVISION_TAIL + 1;
/// In a `db.view` key after the client's name: NUL and the number of the line.
pub const VIEW_TAIL: usize = 8;

/// The path is in client syntax (`//client/...`).
pub fn client_of(path: &[u8]) -> &[u8] {
    let rest = path.strip_prefix(b"//").unwrap_or(path);
    let end = memchr(b'/', rest).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// The fields are those after the path.
pub fn revision_tail(fields: &mut Fields<'_>) -> Option<[u8; REVISION_TAIL]> {
    // Inverted, so that the latest revision of a file sorts first.
    fields.number().map(|revision| tail(!(revision as u32)))
}

pub fn head_tail(fields: &mut Fields<'_>, is_deleted: bool) -> Option<[u8; HEAD_TAIL]> {
    let mut tail = [b'0' + u8::from(is_deleted); HEAD_TAIL];
    let (front, _) = tail.split_first_chunk_mut::<REVISION_TAIL>()?;
    *front = revision_tail(fields)?;
    Some(tail)
}

/// From a `db.have` record's fields after the paths, in seconds since the Unix epoch; 0 if absent.
/// It is the file's modification time on the client's disk (inferred from real checkpoints), so a
/// recent time indicates a sync, whereas an old time indicates nothing.
pub fn file_time_s(fields: &mut Fields<'_>) -> u64 {
    let time_s = fields.skip(2).and_then(|()| fields.number());
    time_s.and_then(|time_s| u64::try_from(time_s).ok()).unwrap_or(0)
}

/// Of a file that a client has or has open; the client path is its key.
pub fn file_value(to: &mut Vec<u8>, is_used: bool, client_path: &[u8], depot: &[u8]) {
    let pairs = client_path.iter().rev().zip(depot.iter().rev());
    let shared = pairs.take_while(|(one, other)| one == other).count();
    put_number(to, is_used.into());
    put_number(to, shared as u64);
    to.extend_from_slice(depot.get(..depot.len() - shared).unwrap_or_default());
}

/// Whether the file is used, and its depot path.
pub fn file_read(mut value: &[u8], client_path: &[u8]) -> Option<(bool, Vec<u8>)> {
    let is_used = take_number(&mut value)? > 0;
    let shared = usize::try_from(take_number(&mut value)?).ok()?;
    let end = client_path.get(client_path.len().checked_sub(shared)?..)?;
    Some((is_used, [value, end].concat()))
}

/// From a `db.rev` record's fields after the revision number: its changelist if it was submitted
/// since a time.
pub fn recent_change(to: &mut Vec<u8>, mut fields: Fields<'_>, since_s: u64) {
    let mut number = || u64::try_from(fields.number()?).ok();
    if let (_, _, Some(change), Some(time_s)) = (number(), number(), number(), number())
        && time_s >= since_s
    {
        put_number(to, change);
    }
}

pub fn view_tail(fields: &mut Fields<'_>) -> Option<[u8; VIEW_TAIL]> {
    fields.number().map(|line| tail(line as u32))
}

fn tail(number: u32) -> [u8; 8] {
    let [a, b, c, d, e, f, g] = ordered(number);
    [0, a, b, c, d, e, f, g]
}

/// The fields are flag, client side, depot side. None also if the depot side contains NUL.
pub fn view_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    put_number(to, fields.number()? as u64);
    put_text(to, &fields.text()?);
    let depot = fields.text()?;
    put_text(to, &depot);
    (!depot.contains(&0)).then_some(())
}

/// Of a `db.view` key with its value.
pub fn view_line(key: &[u8], mut value: &[u8]) -> Option<ViewLine> {
    let flag = take_number(&mut value)?;
    let (client, depot) = (take_text(&mut value)?.to_vec(), take_text(&mut value)?.to_vec());
    Some(ViewLine { number: last_ordered(key).unwrap_or(0).into(), flag, depot, client })
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Domain {
    pub kind: u64,
    /// Last save, in seconds since the Unix epoch.
    pub updated_s: u64,
    pub used_s: u64,
    pub options: u64,
    /// Empty if the client has no stream.
    pub stream: Vec<u8>,
    /// The client's Root and two AltRoots; empty texts if not set.
    pub roots: Vec<Vec<u8>>,
    /// The client's `ServerID`; empty if it is not bound to a server.
    pub server_id: Vec<u8>,
    pub owner: Vec<u8>,
    /// Of a label, such as `@15`; empty if it is static.
    pub revision: Vec<u8>,
}

/// The fields after the name are type, host, root and two alternative roots, owner, update and
/// access time, options, description, stream (since 2011.1), server (since 2012.1); a label has its
/// revision in place of the host. Only of clients and labels more than type and times is kept.
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

/// The fields after the name are parent, title, type, seven others, and ParentView.
pub fn stream_value(to: &mut Vec<u8>, fields: &mut Fields<'_>, layout: u32) -> Option<()> {
    let parent = fields.any()?;
    fields.skip(1)?;
    put_number(to, fields.number()?.max(0) as u64);
    put_text(to, if parent == &b"none"[..] { b"" } else { &parent });
    put_inheritance(to, inherits(fields, layout));
    Some(())
}

/// Before there was a ParentView, every stream with a parent inherited.
fn inherits(fields: &mut Fields<'_>, layout: u32) -> Option<bool> {
    match layout {
        ..LAYOUT_WITH_PARENT_VIEW => Some(true),
        LAYOUT_WITH_PARENT_VIEW..=LAST_STREAM_LAYOUT => {
            fields.skip(7)?;
            match fields.number()? {
                0 => Some(false),
                1 => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the stream inherits; None if unknown.
pub fn stream_inherits(mut value: &[u8]) -> Option<bool> {
    let value = &mut value;
    take_number(value)?;
    take_text(value)?;
    take_inheritance(value)?
}

/// The fields after the name are changelist, number of the line, parent, type of stream, type of
/// path, view path, depot path, and the changelist or label of a pinned path.
pub fn template_row(to: &mut Vec<u8>, fields: &mut Fields<'_>, layout: u32) -> [u8; TEMPLATE_TAIL] {
    let place = template_place(fields).filter(|_| layout <= LAST_STREAM_LAYOUT);
    if template_value(to, fields).is_none() || place.is_none() {
        to.clear();
    }
    // A record that cannot be read makes its stream unknown for good.
    template_tail(place.unwrap_or((u32::MAX, 0)))
}

fn template_place(fields: &mut Fields<'_>) -> Option<(u32, u32)> {
    let mut number = || u32::try_from(fields.number()?).ok();
    Some((number()?, number()?))
}

fn template_tail((change, line): (u32, u32)) -> [u8; TEMPLATE_TAIL] {
    let mut tail = [0; TEMPLATE_TAIL];
    let digits = ordered(change).into_iter().chain(ordered(line));
    tail.iter_mut().skip(1).zip(digits).for_each(|(to, digit)| *to = digit);
    tail
}

/// None of a key that is too short.
pub fn place_of_template(key: &[u8]) -> Option<(u32, u32)> {
    let change = key.get(..key.len().checked_sub(ORDERED_BYTES)?)?;
    Some((last_ordered(change)?, last_ordered(key)?))
}

fn template_value(to: &mut Vec<u8>, fields: &mut Fields<'_>) -> Option<()> {
    fields.skip(2)?;
    let kind = kind_of_line(u64::try_from(fields.number()?).ok()?)?;
    let (view, depot, pin) = (fields.text()?, fields.text()?, fields.any()?);
    put_number(to, u64::from(kind.is_some()));
    let Some(kind) = kind else { return Some(()) };
    let (depot, at) = match memchr(b'@', &depot) {
        Some(at) => (depot.get(..at)?, depot.get(at + 1..)?),
        None => (&*depot, &b""[..]),
    };
    let pin = if &*pin == b"-1" { at } else { pin.strip_prefix(b"@").unwrap_or(&pin) };
    let pin = if kind == LineKind::Component { pin.to_vec() } else { Vec::new() };
    StreamLine { kind, view: view.to_vec(), depot: depot.to_vec(), pin }.put(to);
    Some(())
}

pub fn template_read(mut value: &[u8]) -> Row {
    let value = &mut value;
    match take_number(value) {
        Some(0) => Row::Nothing,
        Some(_) => StreamLine::take(value).map_or(Row::Unknown, Row::Line),
        None => Row::Unknown,
    }
}

/// Type and parent; the parent is empty if the stream has none.
pub fn stream_read(mut value: &[u8]) -> Option<(u64, &[u8])> {
    Some((take_number(&mut value)?, take_text(&mut value)?))
}

/// A checksum of the source stream's name. The record's first field is the source stream, the
/// second the dependent stream.
pub fn relation_tail(source: &[u8]) -> [u8; RELATION_TAIL] {
    tail(crc_32(&source.to_ascii_lowercase()))
}

impl Domain {
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

    pub fn is_stream(&self) -> bool {
        STREAMS.contains(&self.kind)
    }

    pub fn last_s(&self) -> u64 {
        self.updated_s.max(self.used_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_depot_path_of_a_file_is_read_as_it_was_written(
            client_path in "//ws[ab/]{0,6}",
            depot in "//d[ab/]{0,6}",
            is_used: bool,
        ) {
            let (client_path, depot) = (client_path.as_bytes(), depot.as_bytes());
            let mut value = Vec::new();
            file_value(&mut value, is_used, client_path, depot);
            prop_assert_eq!(file_read(&value, client_path), Some((is_used, depot.to_vec())));
        }
    }
}
