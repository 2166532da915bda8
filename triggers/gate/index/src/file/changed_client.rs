//! The entry of a client in a delta file: the state of a client that journals changed after the
//! checkpoint.

use crate::base::numbers::{put_number, take_number};
use crate::file::client::{Client, CountTime};

/// A client in a delta file: its state after the journals that changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedClient {
    /// The client after the changes in the journals; None if they deleted the client.
    pub client: Option<Client>,
    /// Whether the client's view is known. False for a deleted client, for a client whose view has
    /// no line that includes files, and after a change of the client's stream until a journal
    /// contains the new view.
    pub is_known: bool,
    /// Number of the journal transaction, counted from the checkpoint, that last wrote or deleted
    /// lines of the client's view; 0 if none did.
    pub view_at: u64,
    /// Time of the client specification's last save, in seconds since the Unix epoch, by its last
    /// `db.domain` record in the journals; 0 if they contain none.
    pub updated_s: u64,
}

impl ChangedClient {
    /// Encodes the client's state as the value of its entry in a delta file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.is_known.into());
        put_number(&mut to, self.view_at);
        put_number(&mut to, self.updated_s);
        to.extend(self.client.iter().flat_map(Client::bytes));
        to
    }

    /// Decodes the value of a changed client's entry in a delta file; None if the bytes are
    /// invalid.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let is_known = take_number(&mut from)? > 0;
        let (view_at, updated_s) = (take_number(&mut from)?, take_number(&mut from)?);
        let client = if from.is_empty() { None } else { Some(Client::read(from)?) };
        let client = client.map(|client| Client { count_time: CountTime::AtUpdate, ..client });
        Some(ChangedClient { client, is_known, view_at, updated_s })
    }
}
