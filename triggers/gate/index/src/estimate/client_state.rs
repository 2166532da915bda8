//! Looks up the state of a client: from the checkpoint index, or from a form saved since.

use crate::file::client::{Client, ClientStream, CountTime};
use crate::file::index::Index;
use crate::file::saved_forms::Note;
use crate::file::trees::IndexError;

/// Maximum delay in seconds between the note of a form that is saved and its record in the server's
/// database, and so in a checkpoint.
const MAX_SAVE_S: u64 = 60;
/// Maximum number of streams examined to decide whether one client's view is out of date: the
/// client's stream, and the streams from which it takes its view.
const MAX_STREAMS: usize = 64;

impl Index {
    /// None if neither the checkpoint nor a note of a saved form has the client, or if its view may
    /// have changed since the checkpoint and is unknown.
    pub fn client(&self, name: &[u8]) -> Result<Option<Client>, IndexError> {
        if let Some(note) = self.recent_note(name) {
            let count_time = note.files.map_or(CountTime::Never, CountTime::AtSave);
            let client = |mapping| Client { mapping, count_time, ..Client::default() };
            return Ok(note.mapping.map(client));
        }
        let Some(client) = self.client_of_checkpoint(name)? else {
            return Ok(None);
        };
        let is_stale = match &client.stream {
            // The server writes the view of a stream client only when the client is first used. So
            // an empty stored view does not mean that the client maps nothing; it counts as out of
            // date.
            Some(stream) => client.mapping.view.is_empty() || self.is_stale(stream)?,
            None => false,
        };
        Ok((!is_stale).then_some(client))
    }

    /// Whether a client has the same view now as in the checkpoint; false if either is unknown.
    pub fn has_view_of_checkpoint(&self, name: &[u8]) -> Result<bool, IndexError> {
        let lines = |client: Client| (client.mapping.view, client.mapping.exclusions);
        let (now, then) = (self.client(name)?, self.client_of_checkpoint(name)?);
        Ok(now.is_some() && now.map(lines) == then.map(lines))
    }

    /// Whether the server has a client: the checkpoint has it, or a form of it was saved since.
    pub fn has_client(&self, name: &[u8]) -> Result<bool, IndexError> {
        Ok(self.was_saved(name) || self.client_of_checkpoint(name)?.is_some())
    }

    /// Whether a client or stream was saved after the checkpoint, by the notes of saved forms.
    pub fn was_saved(&self, name: &[u8]) -> bool {
        self.recent_note(name).is_some()
    }

    /// None if there is no note, or if the checkpoint must have what was saved.
    fn recent_note(&self, name: &[u8]) -> Option<Note> {
        let note = self.saved_forms.as_ref()?.note(name, self.folds())?;
        let is_past = self.head.time_s.unwrap_or(0) > note.time_s.saturating_add(MAX_SAVE_S);
        (!is_past).then_some(note)
    }

    /// Whether the stored view of a stream client may be out of date: the stream, or a stream from
    /// which it takes its view, was saved after the client was last used; or the stream is of a kind
    /// whose views are not relied on; or too many streams are involved. The server regenerates the
    /// view at the client's next use.
    fn is_stale(&self, of: &ClientStream) -> Result<bool, IndexError> {
        let mut names = vec![of.name.clone()];
        let mut place = 0;
        while let Some(name) = names.get(place).cloned() {
            if names.len() > MAX_STREAMS || self.was_saved(&name) {
                return Ok(true);
            }
            if let Some(stream) = self.stream(&name)? {
                let is_unknown = place == 0 && stream.is_of_unknown_kind();
                if is_unknown || stream.updated_s > of.used_s {
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
