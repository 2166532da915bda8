//! Opens the index of the server's checkpoint in the home folder.

use crate::base::fault::Fault;
use crate::home::folder::{Home, INDEX};
use p4warden_index::file::index::Index;

/// Fails if the index is damaged or cannot be trusted, or if it belongs to another server or case
/// handling. `found` is called before an index is read, which may take long.
pub fn open(
    home: &Home,
    folds: bool,
    server_id: Option<&str>,
    found: impl FnOnce(),
) -> Result<Option<Index>, Fault> {
    let Some(open_file) = home.open_unless_missing(INDEX)? else { return Ok(None) };
    found();
    let path = home.file(INDEX);
    let index =
        Index::of_file(open_file.file).map_err(|damaged| Fault::of_file(&path, &damaged))?;
    let index = index.of_this_server(folds, server_id);
    index.map(Some).map_err(|problem| Fault::of_file(&path, &problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_index_that_is_there_is_announced() -> std::io::Result<()> {
        let folder = tempfile::TempDir::new()?;
        let home = Home::at(folder.path());
        let mut founds = 0;
        assert!(matches!(open(&home, false, None, || founds += 1), Ok(None)));
        assert_eq!(founds, 0);
        std::fs::write(home.file(INDEX), "damaged")?;
        assert!(open(&home, false, None, || founds += 1).is_err());
        assert_eq!(founds, 1);
        Ok(())
    }
}
