//! A client in a delta: how journals changed it since the checkpoint.

use crate::base::numbers::{put_number, take_number};
use crate::file::client::{Client, Counted};

/// A client that journals changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The client; None where it was deleted.
    pub client: Option<Client>,
    /// Whether its view is known: the server writes that of a stream's client at its next use.
    pub is_known: bool,
    /// The number of the transaction that wrote its view; 0 where that was before the delta.
    pub view_at: u64,
    /// When the client was saved last, in seconds since the epoch.
    pub updated_s: u64,
}

impl Changed {
    /// Writes it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.is_known.into());
        put_number(&mut to, self.view_at);
        put_number(&mut to, self.updated_s);
        to.extend(self.client.iter().flat_map(Client::bytes));
        to
    }

    /// Reads it; None where it is none.
    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let is_known = take_number(&mut from)? > 0;
        let (view_at, updated_s) = (take_number(&mut from)?, take_number(&mut from)?);
        let client = if from.is_empty() { None } else { Some(Client::read(from)?) };
        let client = client.map(|client| Client { counted: Counted::AtUpdate, ..client });
        Some(Changed { client, is_known, view_at, updated_s })
    }
}
