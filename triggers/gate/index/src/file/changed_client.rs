use crate::base::numbers::{put_number, take_number};
use crate::file::client::{Client, CountTime};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedClient {
    /// None if the journals deleted the client.
    pub client: Option<Client>,
    /// False for a deleted client, for a client whose view has no line that includes files, and
    /// after a change of the client's stream until a journal contains the new view.
    pub is_known: bool,
    /// Number of the journal transaction, counted from the checkpoint, that last changed the view;
    /// 0 if none did.
    pub view_at: u64,
    /// Last save, in seconds since the Unix epoch; 0 if the journals contain none.
    pub updated_s: u64,
}

impl ChangedClient {
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.is_known.into());
        put_number(&mut to, self.view_at);
        put_number(&mut to, self.updated_s);
        to.extend(self.client.iter().flat_map(Client::bytes));
        to
    }

    #[must_use]
    pub fn read(mut from: &[u8]) -> Option<Self> {
        let is_known = take_number(&mut from)? > 0;
        let (view_at, updated_s) = (take_number(&mut from)?, take_number(&mut from)?);
        let client = if from.is_empty() { None } else { Some(Client::read(from)?) };
        let client = client.map(|client| Client { count_time: CountTime::AtUpdate, ..client });
        Some(ChangedClient { client, is_known, view_at, updated_s })
    }
}
