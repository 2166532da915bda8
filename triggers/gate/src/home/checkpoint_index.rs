//! Opens the index of the server's checkpoint, with the notes of forms saved since.

use crate::base::fault::Fault;
use crate::home::facts_file::FactsFile;
use crate::home::folder::{Home, INDEX, SAVED};
use p4warden_index::file::index::Index;
use p4warden_index::file::saved_forms::SavedForms;
use std::fmt::Display;

/// None if there is none. A fault if it is damaged, cannot be trusted, or belongs to another server or
/// case setting, or if the notes cannot be used.
pub fn open(home: &Home, facts: &FactsFile) -> Result<Option<Index>, Fault> {
    let fault = |file: &str, problem: &dyn Display| Fault::of_file(&home.file(file), problem);
    let Some(index) = home.open_unless_missing(INDEX)? else { return Ok(None) };
    let index = Index::of_file(index.file).map_err(|damaged| fault(INDEX, &damaged))?;
    let index = index.of_this_server(!facts.case_sensitive, facts.server_id.as_deref());
    let index = index.map_err(|problem| fault(INDEX, &problem))?;
    let saved = home.open_unless_missing(SAVED)?;
    let saved = saved.map(|notes| SavedForms::of_file(notes.file)).transpose();
    let saved = saved.map_err(|problem| fault(SAVED, &problem))?;
    Ok(Some(index.with_saved(saved)))
}
