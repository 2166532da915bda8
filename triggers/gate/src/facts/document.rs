//! `facts.json`, and the `facts` of an event.

use crate::facts::depots::DepotList;
use serde::Deserialize;

#[derive(Clone, Debug, Default, Deserialize)]
pub struct FactsDocument<'t> {
    pub case_sensitive: Option<bool>,
    pub unicode: Option<bool>,
    #[serde(default)]
    pub server_id: Option<String>,
    /// Whether client forms have the field LimitView.
    #[serde(default)]
    pub limit_view: Option<bool>,
    /// Empty if unknown.
    #[serde(borrow, default)]
    pub depots: DepotList<'t>,
}

/// What precedes the depots' types in the first line of `facts.json`, which `p4warden refresh` writes:
/// `{"case_sensitive": true, "unicode": false, "server_id": null, "release": "2026.1",
/// "limit_view": true, "types": {...}, "depots": {`.
/// A line for each depot follows, and `}` in a line of its own.
#[derive(Debug, PartialEq, Eq)]
pub struct FirstLine {
    pub case_sensitive: bool,
    pub unicode: bool,
    pub server_id: Option<String>,
    pub limit_view: bool,
    /// In bytes from the start of the file.
    pub types_start: usize,
}

/// Between the object with the types and the end of the first line.
pub const AFTER_TYPES: &[u8] = b", \"depots\": {\n";
pub const AFTER_LINES: &[u8] = b"}";

impl FirstLine {
    /// From the start of the file; None if it has another layout.
    pub fn read(start: &[u8]) -> Option<Self> {
        let (case_sensitive, rest) = value(start.strip_prefix(b"{\"case_sensitive\": ")?)?;
        let (unicode, rest) = value(rest.strip_prefix(b", \"unicode\": ")?)?;
        let (server_id, rest) = value(rest.strip_prefix(b", \"server_id\": ")?)?;
        let (_release, rest): (Option<String>, _) = value(rest.strip_prefix(b", \"release\": ")?)?;
        let (limit_view, rest) = value(rest.strip_prefix(b", \"limit_view\": ")?)?;
        let types = rest.strip_prefix(b", \"types\": ")?;
        let types_start = start.len() - types.len();
        Some(FirstLine { case_sensitive, unicode, server_id, limit_view, types_start })
    }
}

fn value<'t, T: Deserialize<'t>>(text: &'t [u8]) -> Option<(T, &'t [u8])> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}
