//! Finds the newest whole checkpoint beside a refused file or folder.

use crate::source::digest;
use crate::source::files::{GZIP, open};
use crate::source::header::{CHECKPOINT_START, Header};
use crate::source::parallel_folder::{part_name, parts_in, refuse_mixture};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// In the end of a checkpoint its last note is sought.
const END_BYTES: u64 = 4 << 10;
/// A larger compressed file counts as whole if it has an `.md5` file.
const MAX_COMPRESSED_BYTES: u64 = 64 << 20;

/// In it, if it is a folder, or in its own folder; for a part, beside its folder.
pub fn advice(refused: &Path) -> String {
    let refused = refused.parent().filter(|_| part_name(refused).is_some()).unwrap_or(refused);
    let folders = [refused.is_dir().then_some(refused), folder_of(refused)];
    let found = folders.into_iter().flatten().find_map(|folder| newest_in(folder, refused));
    match found {
        Some(path) => format!("the newest whole checkpoint there is {}", path.display()),
        None => "name a checkpoint that p4d has completed".to_owned(),
    }
}

/// None for a pipe, which has no folder of checkpoints.
fn folder_of(path: &Path) -> Option<&Path> {
    let is_stored = path.is_file() || path.is_dir();
    let folder = path.parent().filter(|_| is_stored)?;
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

fn newest_in(folder: &Path, refused: &Path) -> Option<PathBuf> {
    let server = Header::of(refused).map(|header| header.server);
    let paths = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut checkpoints: Vec<(i64, PathBuf)> = paths
        .filter(|path| path != refused && part_name(path).is_none())
        .filter_map(|path| {
            let header = header_of(&path)?;
            let is_same = server.as_ref().is_none_or(|server| *server == header.server);
            (header.note == CHECKPOINT_START && is_same).then_some((header.time_s, path))
        })
        .collect();
    checkpoints.sort();
    checkpoints.into_iter().rev().map(|(_, path)| path).find(|path| is_whole(path))
}

/// Of a file, or of the first part of a parallel checkpoint.
fn header_of(path: &Path) -> Option<Header> {
    if path.is_dir() { Header::of(parts_of(path)?.first()?) } else { Header::of(path) }
}

fn parts_of(folder: &Path) -> Option<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder).ok()?.map(|entry| Some(entry.ok()?.path()));
    let parts = parts_in(folder, paths.collect::<Option<_>>()?).ok()?;
    refuse_mixture(&parts).ok().map(|()| parts)
}

fn is_whole(path: &Path) -> bool {
    if path.is_dir() {
        return parts_of(path).is_some_and(|parts| parts.iter().all(|part| has_end(part)));
    }
    path.is_file() && has_end(path)
}

fn has_end(path: &Path) -> bool {
    let is_large = path.metadata().is_ok_and(|about| about.len() > MAX_COMPRESSED_BYTES);
    match (is_gzip(path), is_large) {
        (true, true) => digest::file_of(path).is_some(),
        _ => end_of(path, is_gzip(path)).is_some_and(|end| ends_checkpoint(&end)),
    }
}

fn is_gzip(path: &Path) -> bool {
    let mut magic = [0; 2];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && magic == GZIP
}

fn end_of(path: &Path, is_gzip: bool) -> Option<Vec<u8>> {
    let mut end = Vec::new();
    if !is_gzip {
        let mut file = File::open(path).ok()?;
        let bytes = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(bytes.saturating_sub(END_BYTES))).ok()?;
        file.take(END_BYTES).read_to_end(&mut end).ok()?;
        return Some(end);
    }
    let mut text = open(path, Rc::default()).ok()?;
    while text.by_ref().take(1 << 20).read_to_end(&mut end).ok()? > 0 {
        end.drain(..end.len().saturating_sub(END_BYTES as usize));
    }
    Some(end)
}

/// Only ends of transactions follow the last note.
fn ends_checkpoint(end: &[u8]) -> bool {
    let mut lines = end.split(|byte| *byte == b'\n').rev().skip_while(|line| line.is_empty());
    end.ends_with(b"\n")
        && lines
            .find(|line| !line.starts_with(b"@ex@ "))
            .is_some_and(|line| line.starts_with(b"@nx@ 1 "))
}
