//! Looks up the current state of a client: from the checkpoint index, from the delta file made of
//! later journals, or from a form saved recently.

use crate::file::changed_client::ChangedClient;
use crate::file::client::{Client, ClientStream, CountTime};
use crate::file::index::Index;
use crate::file::saved_forms::Note;
use crate::file::trees::IndexError;

/// Maximum delay in seconds between the saving of a form and its appearance in a journal. If
/// journals were read beyond this delay, the note of the saved form is ignored.
const MAX_SAVE_S: u64 = 60;
/// Maximum number of streams examined to decide whether one client's view is out of date: the
/// client's stream, and the streams from which it takes its view.
const MAX_STREAMS: usize = 64;

impl Index {
    /// Looks up the current state of a client. None if neither the checkpoint index nor its delta
    /// file contains the client, if journals deleted it, or if its view may have changed since and
    /// is unknown.
    pub fn client(&self, name: &[u8]) -> Result<Option<Client>, IndexError> {
        let change = self.delta.as_ref().map(|delta| delta.client(name)).transpose()?.flatten();
        if let Some(note) = self.recent_note(name, change.as_ref()) {
            let count_time =
                if note.files.is_some() { CountTime::AtSave } else { CountTime::Never };
            let totals = [note.files.unwrap_or_default(); 2];
            let client = |mapping| Client { totals, mapping, count_time, ..Client::default() };
            return Ok(note.mapping.map(client));
        }
        let (client, view_at) = match change {
            Some(change) => (change.client.filter(|_| change.is_known), change.view_at),
            None => (self.client_of_checkpoint(name)?, 0),
        };
        let Some(client) = client else {
            return Ok(None);
        };
        let is_stale = match &client.stream {
            // The server writes the view of a stream client only when the client is first used. So
            // an empty stored view does not mean that the client maps nothing; it counts as out of
            // date.
            Some(stream) => client.mapping.view.is_empty() || self.is_stale(stream, view_at)?,
            None => false,
        };
        Ok((!is_stale).then_some(client))
    }

    /// Whether a client has the same view now as in the checkpoint; false if either is unknown.
    pub fn has_view_of_checkpoint(&self, name: &[u8]) -> Result<bool, IndexError> {
        let (now, then) = (self.client(name)?, self.client_of_checkpoint(name)?);
        Ok(now.zip(then).is_some_and(|(now, then)| now.mapping.view == then.mapping.view))
    }

    /// Whether the server has a client: a form of it was saved recently, or the delta file or the
    /// checkpoint index contains it.
    pub fn has_client(&self, name: &[u8]) -> Result<bool, IndexError> {
        let change = self.delta.as_ref().map(|delta| delta.client(name)).transpose()?.flatten();
        if self.recent_note(name, change.as_ref()).is_some() {
            return Ok(true);
        }
        match change {
            Some(change) => Ok(change.client.is_some()),
            None => Ok(self.client_of_checkpoint(name)?.is_some()),
        }
    }

    /// Whether a stream was saved after the journals read so far, by the notes of saved forms.
    #[must_use]
    pub fn was_saved(&self, stream: &[u8]) -> bool {
        self.recent_note(stream, None).is_some()
    }

    /// The note that a client or stream was saved recently; None if there is no note or if the
    /// journals read so far must contain the save already.
    fn recent_note(&self, name: &[u8], change: Option<&ChangedClient>) -> Option<Note> {
        let note = self.saved_forms.as_ref()?.note(name, self.folds())?;
        let is_past = self.known_to_s().unwrap_or(0) > note.time_s.saturating_add(MAX_SAVE_S)
            || change.is_some_and(|change| change.updated_s >= note.time_s);
        (!is_past).then_some(note)
    }

    /// Whether the stored view of a stream client may be out of date: the stream, or a stream from
    /// which it takes its view, was saved after the view was written; or the stream is of a kind
    /// whose views are not relied on; or too many streams are involved. The server regenerates the
    /// view at the client's next use.
    fn is_stale(&self, of: &ClientStream, view_at: u64) -> Result<bool, IndexError> {
        let mut names = vec![of.name.clone()];
        let mut place = 0;
        while let Some(name) = names.get(place).cloned() {
            if names.len() > MAX_STREAMS || self.recent_note(&name, None).is_some() {
                return Ok(true);
            }
            if let Some(stream) = self.stream(&name)? {
                let is_unknown = place == 0 && stream.is_of_unknown_kind();
                let is_later = stream.save_transaction > view_at;
                let is_later = is_later || (view_at == 0 && stream.updated_s > of.used_s);
                if is_unknown || is_later {
                    return Ok(true);
                }
                let others = stream.sources.into_iter().filter(|one| !names.contains(one));
                names.extend(others.collect::<Vec<_>>());
            }
            place += 1;
        }
        Ok(false)
    }
}
