use p4warden_index::assemble::index_build::{Sources, build};
use p4warden_index::base::checksum::crc_32;
use p4warden_index::file::index::Index;
use p4warden_index::file::saved_forms::{BYTES, SavedForms, slot_of};
use std::fmt::Debug;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// At 1000 s.
const START: &str = "@nx@ 0 1000 @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n";
const CLOSE: &str = "@nx@ 1 1000 @41@ 0 0 0 0 0 @@ @@ @@ @@ \n";

fn client(name: &str, stream: &str) -> String {
    format!(
        "@pv@ 6 @db.domain@ @{name}@ 99 @@ @/home@ @@ @@ @ann@ 1 1 0 @@ @{stream}@ @@ 0 \n\
         @pv@ 1 @db.view@ @{name}@ 0 0 @//{name}/...@ @//s/main/...@ \n"
    )
}

fn index_of(folder: &Path) -> Result<Index, String> {
    let (checkpoint, index) = (folder.join("checkpoint"), folder.join("index"));
    let streams = "@pv@ 6 @db.domain@ @//s/dev@ 115 @@ @@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n\
                   @pv@ 6 @db.domain@ @//s/main@ 115 @@ @@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 \n\
                   @pv@ 3 @db.stream@ @//s/dev@ @//s/main@ @x@ 2 1 0 0 0 0 0 0 1 \n\
                   @pv@ 3 @db.stream@ @//s/main@ @none@ @x@ 0 1 0 0 0 0 0 0 1 \n";
    let text = [START, &client("dev", "//s/dev"), &client("plain", ""), streams, CLOSE].concat();
    std::fs::write(&checkpoint, text).map_err(problem)?;
    let checkpoints = vec![checkpoint];
    let sources =
        Sources { checkpoints, journals: Vec::new(), server_id: None, case: None, files: None };
    build(&sources, &index, &mut |_, _| {}).map_err(problem)?;
    Index::open(&index).map_err(problem)
}

/// As the gate leaves a note without a view.
fn note(folder: &Path, name: &str, time_s: u64) -> Result<SavedForms, String> {
    let mut options = File::options();
    options.create(true).truncate(true).read(true).write(true);
    let file = options.open(folder.join("saved_forms")).map_err(problem)?;
    let text = format!("0\n{time_s}\0{name}\0unknown\n");
    let slot = format!("{:08x}{:08}{text}", crc_32(text.as_bytes()), text.len());
    file.write_all_at(slot.as_bytes(), slot_of(name.as_bytes())).map_err(problem)?;
    file.set_len(BYTES).map_err(problem)?;
    SavedForms::of_file(file)
}

fn problem(error: impl Debug) -> String {
    format!("{error:?}")
}

/// A note within a minute before the checkpoint counts as one after it.
#[test]
fn what_was_saved_after_the_checkpoint_is_known_by_its_note_or_unknown() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(problem)?;
    let index = index_of(folder.path())?;
    for (saved, time_s, known) in [
        ("other", 2_000_000, [true, true]),
        ("plain", 2_000_000, [false, true]),
        ("plain", 940, [false, true]),
        ("plain", 939, [true, true]),
        ("//s/dev", 2_000_000, [true, false]),
        ("//s/main", 940, [true, false]),
        ("//s/main", 939, [true, true]),
    ] {
        let index = index.clone().with_saved(Some(note(folder.path(), saved, time_s)?));
        for (name, known) in ["plain", "dev"].into_iter().zip(known) {
            let client = index.client(name.as_bytes()).map_err(problem)?;
            assert_eq!(client.is_some(), known, "{name}, {saved} at {time_s}");
        }
    }
    Ok(())
}

#[test]
fn a_client_exists_if_the_checkpoint_has_it_or_it_was_saved_since() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(problem)?;
    let index = index_of(folder.path())?.with_saved(Some(note(folder.path(), "new", 2_000)?));
    for (name, exists) in [("plain", true), ("new", true), ("other", false)] {
        assert_eq!(index.has_client(name.as_bytes()).map_err(problem)?, exists, "{name}");
    }
    Ok(())
}
