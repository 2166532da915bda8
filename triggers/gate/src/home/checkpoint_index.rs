//! Opens the index of the server's checkpoint in the home folder.

use crate::base::fault::Fault;
use crate::home::folder::{Home, INDEX};
use p4warden_index::file::index::Index;

/// Fails if the index is damaged or cannot be trusted, or if it belongs to another server or case
/// handling.
pub fn open(home: &Home, folds: bool, server_id: Option<&str>) -> Result<Option<Index>, Fault> {
    let Some(open_file) = home.open_unless_missing(INDEX)? else { return Ok(None) };
    let path = home.file(INDEX);
    let index =
        Index::of_file(open_file.file).map_err(|damaged| Fault::of_file(&path, &damaged))?;
    let index = index.of_this_server(folds, server_id);
    index.map(Some).map_err(|problem| Fault::of_file(&path, &problem))
}
