use p4warden_index::assemble::index_build::{Sources, build};
use p4warden_index::base::checksum::crc_32;
use p4warden_index::estimate::inheritance::{Inherited, StreamForm};
use p4warden_index::file::index::Index;
use p4warden_index::file::saved_forms::{BYTES, SavedForms, slot_of};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::{Debug, Write};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const START: &str = "@nx@ 0 100 @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n";
const CLOSE: &str = "@nx@ 1 100 @41@ 0 0 0 0 0 @@ @@ @@ @@ \n@ex@ 1 100\n";
const LEVELS: usize = 5;

struct Stream {
    name: String,
    parent: String,
    /// Types as in `db.template`, view paths and depot paths.
    lines: Vec<(u64, String, String)>,
}

/// The records of the streams, table by table.
fn records(streams: &[Stream]) -> Result<String, String> {
    let (mut domains, mut records, mut lines) = (String::new(), String::new(), String::new());
    for Stream { name, parent, lines: of_stream } in streams {
        writeln!(domains, "@pv@ 6 @db.domain@ @{name}@ 115 @@ @@ @@ @@ @ann@ 1 1 0 @@ @@ @@ 0 ")
            .map_err(text)?;
        writeln!(records, "@pv@ 3 @db.stream@ @{name}@ @{parent}@ @x@ 2 1 0 0 0 0 0 0 1 ")
            .map_err(text)?;
        for (number, (kind, view, depot)) in of_stream.iter().enumerate() {
            writeln!(
                lines,
                "@pv@ 3 @db.template@ @{name}@ 9 {number} @{parent}@ 2 {kind} @{view}@ @{depot}@ -1 "
            )
            .map_err(text)?;
        }
    }
    Ok([START, &domains, &records, &lines, CLOSE].concat())
}

fn index_of(folder: &Path, streams: &[Stream]) -> Result<Index, String> {
    let (checkpoint, index) = (folder.join("checkpoint"), folder.join("index"));
    std::fs::write(&checkpoint, records(streams)?).map_err(text)?;
    let checkpoints = vec![checkpoint];
    let sources =
        Sources { checkpoints, journals: Vec::new(), server_id: None, case: None, files: None };
    build(&sources, &index, &mut |_, _| {}).map_err(text)?;
    Index::open(&index).map_err(text)
}

fn text(error: impl Debug) -> String {
    format!("{error:?}")
}

fn form<'f>(parent: &'f str, components: &[&'f str]) -> StreamForm<'f> {
    StreamForm {
        name: b"//s/form",
        parent: parent.as_bytes(),
        own_paths: vec![b"..."],
        components: components.iter().map(|name| (name.as_bytes(), &b""[..])).collect(),
        ..StreamForm::default()
    }
}

/// A chain of parents and one of components, the nearest last.
fn chains(imports: &[(usize, bool, String)]) -> Vec<Stream> {
    let mut streams = Vec::new();
    for (side, is_component) in [("c", true), ("p", false)] {
        for level in 0..LEVELS {
            let above = (level > 0).then(|| format!("//s/{side}{}", level - 1));
            let mut lines = vec![(0, "...".to_owned(), String::new())];
            let parent = match above {
                Some(above) if is_component => {
                    lines.push((17, "part".to_owned(), above));
                    "none".to_owned()
                }
                Some(above) => above,
                None => "none".to_owned(),
            };
            let own = imports.iter().filter(|one| (one.0, one.1) == (level, is_component));
            let line = |depot: &String| (2, format!("{}...", depot.len()), depot.clone());
            lines.extend(own.map(|(_, _, depot)| line(depot)));
            streams.push(Stream { name: format!("//s/{side}{level}"), parent, lines });
        }
    }
    streams
}

fn inherited(index: &Index, form: &StreamForm<'_>) -> Result<Inherited, String> {
    index.inherited(form).map_err(text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn imports_split_over_parents_and_components_are_those_of_one_stream(
        imports in prop::collection::vec((0..LEVELS, any::<bool>(), "//depot/[a-z]{1,2}/\\.\\.\\."), 0..20),
    ) {
        let folder = tempfile::tempdir()?;
        let split = index_of(folder.path(), &chains(&imports)).map_err(TestCaseError::fail)?;
        let last = LEVELS - 1;
        let (parent, component) = (format!("//s/p{last}"), format!("//s/c{last}"));
        let result = inherited(&split, &form(&parent, &[&component])).map_err(TestCaseError::fail)?;
        let own_files = (0..LEVELS).map(|level| format!("//s/c{level}/...").into_bytes());
        let together = imports.iter().map(|(_, _, depot)| depot.clone().into_bytes());
        let expected: BTreeSet<_> = together.chain(own_files).collect();
        prop_assert_eq!(result, Inherited { certain: expected, is_complete: true, ..Inherited::default() });
    }
}

fn line(kind: u64, view: &str, depot: &str) -> (u64, String, String) {
    (kind, view.to_owned(), depot.to_owned())
}

/// //s/top <- //s/main, which has an import, and //s/other.
fn family() -> Vec<Stream> {
    let stream = |name: &str, parent: &str, lines| Stream {
        name: name.to_owned(),
        parent: parent.to_owned(),
        lines,
    };
    vec![
        stream("//s/main", "//s/top", vec![line(0, "...", ""), line(2, "a/...", "//depot/a/...")]),
        stream("//s/other", "none", vec![line(0, "...", "")]),
        stream("//s/top", "none", vec![line(0, "...", ""), line(2, "b/...", "//depot/b/...")]),
    ]
}

/// A note, as the writer of notes leaves it, that the stream was saved at 130 s.
fn note(folder: &Path, stream: &str) -> Result<SavedForms, String> {
    let mut options = File::options();
    options.create(true).truncate(true).read(true).write(true);
    let file = options.open(folder.join("saved_forms")).map_err(text)?;
    let content = format!("0\n130\0{stream}\0unknown\n");
    let slot = format!("{:08x}{:08}{content}", crc_32(content.as_bytes()), content.len());
    file.write_all_at(slot.as_bytes(), slot_of(stream.as_bytes())).map_err(text)?;
    file.set_len(BYTES).map_err(text)?;
    SavedForms::of_file(file)
}

#[test]
fn streams_saved_since_make_their_descendants_incomplete() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(text)?;
    let index = index_of(folder.path(), &family())?;
    for (saved, is_complete, count) in
        [("//s/other", true, 2), ("//s/top", false, 1), ("//s/main", false, 0)]
    {
        let index = index.clone().with_saved(Some(note(folder.path(), saved)?));
        let result = inherited(&index, &form("//s/main", &[]))?;
        assert_eq!((result.is_complete, result.certain.len()), (is_complete, count), "{saved}");
    }
    Ok(())
}

#[test]
fn a_form_cannot_end_the_inheritance_of_a_stream_that_was_saved_since() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(text)?;
    let index = index_of(folder.path(), &family())?;
    let form = StreamForm { inherits: Some(false), ..form("//s/main", &[]) };
    let result = inherited(&index, &form)?;
    assert_eq!(result, Inherited { is_complete: true, ..Inherited::default() });
    let index = index.with_saved(Some(note(folder.path(), "//s/form")?));
    let result = inherited(&index, &form)?;
    assert_eq!((result.is_complete, result.certain.len(), result.possible.len()), (false, 0, 2));
    Ok(())
}

#[test]
fn a_long_chain_and_many_imports_end_incomplete() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(text)?;
    let mut streams: Vec<_> = (0..=70)
        .map(|level| Stream {
            name: format!("//s/l{level:02}"),
            parent: match level {
                0 => "none".to_owned(),
                _ => format!("//s/l{:02}", level - 1),
            },
            lines: vec![line(0, "...", "")],
        })
        .collect();
    let many = (0..25_000)
        .map(|number| line(2, &format!("d{number}/..."), &format!("//depot/d{number}/...")));
    let mut lines = vec![line(0, "...", "")];
    lines.extend(many);
    streams.push(Stream { name: "//s/wide".to_owned(), parent: "none".to_owned(), lines });
    let index = index_of(folder.path(), &streams)?;
    let result = inherited(&index, &form("//s/l70", &[]))?;
    assert!(!result.is_complete);
    let result = inherited(&index, &form("//s/wide", &[]))?;
    assert_eq!((result.is_complete, result.certain.len()), (false, 20_000));
    Ok(())
}

#[test]
fn a_part_of_an_inherited_import_is_a_part_of_its_depot_path() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(text)?;
    let index = index_of(folder.path(), &family())?;
    let form =
        StreamForm { own_paths: vec![b"a/x/...", b"b/*", b"src/..."], ..form("//s/main", &[]) };
    let result = inherited(&index, &form)?;
    let paths = |paths: &[&str]| paths.iter().map(|path| path.as_bytes().to_vec()).collect();
    let certain: BTreeSet<_> = paths(&["//depot/a/x/...", "//depot/b/*"]);
    let possible: BTreeSet<_> = paths(&["//depot/a/...", "//depot/b/..."]);
    assert_eq!(result, Inherited { certain, possible, is_complete: true });
    Ok(())
}
