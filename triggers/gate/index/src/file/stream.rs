//! The entry of a stream in a checkpoint index or its delta file: type, last save, and the streams
//! that determine its view. The entry serves to decide whether the stored views of the stream's
//! clients are still valid.

use crate::base::numbers::{put_number, put_text, take_number, take_text};

/// Stream types, as numbered in `db.stream`, whose clients' views are not relied on: virtual and
/// task.
const UNKNOWN_KINDS: [u64; 2] = [3, 4];

/// The data about one stream that a checkpoint index or its delta file stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Type of the stream as numbered in `db.stream`: 0 mainline, 1 release, 2 development, 3
    /// virtual, 4 task.
    pub kind: u64,
    /// Time at which the stream was last saved according to `db.domain`, in seconds since the Unix
    /// epoch.
    pub updated_s: u64,
    /// Number of the journal transaction, counted from the checkpoint, that saved the stream; 0 if
    /// no journal did.
    pub save_transaction: u64,
    /// Names of the streams that determine this stream's view: its parent, and the streams on which
    /// it depends otherwise.
    pub sources: Vec<Vec<u8>>,
}

impl Stream {
    /// Whether the stream is virtual or a task stream, so that its clients may see more files than
    /// their stored views contain.
    #[must_use]
    pub fn is_of_unknown_kind(&self) -> bool {
        UNKNOWN_KINDS.contains(&self.kind)
    }

    /// Encodes the stream as the value of its entry in a checkpoint index or its delta file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        [self.kind, self.updated_s, self.save_transaction]
            .into_iter()
            .for_each(|number| put_number(&mut to, number));
        self.sources.iter().for_each(|source| put_text(&mut to, source));
        to
    }

    /// Decodes the value of a stream's entry in a checkpoint index; None if the bytes are invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let (kind, updated_s, save_transaction) =
            (take_number(from)?, take_number(from)?, take_number(from)?);
        let mut sources = Vec::new();
        while !from.is_empty() {
            sources.push(take_text(from)?.to_vec());
        }
        Some(Stream { kind, updated_s, save_transaction, sources })
    }
}
