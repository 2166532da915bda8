//! The files of a parallel checkpoint (`p4d -jcp`), which is a folder with one file for each table,
//! or several with `-m`: `db.have.ckp`, `db.have_00000001.ckp.gz` or `db.have#00000001.ckp`, and
//! beside each its digest, `db.have.ckp.md5` ("Parallel checkpointing, dumping, and recovery", P4
//! Server Administrator Guide; the releases differ in the sign before the number).

use crate::source::digest;
use crate::source::header::Header;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Tables without which no checkpoint is whole: every release writes them, even if empty.
pub const NEEDED_TABLES: [&str; 4] = ["domain", "view", "depot", "rev"];
const NUMBER_DIGITS: usize = 8;
/// Longest time between the starts of two files of one checkpoint, in seconds: two checkpoints are
/// usually a day apart, and no table takes half a day.
const MAX_PAUSE_S: i64 = 12 * 3600;

pub fn part_name(path: &Path) -> Option<(String, Option<String>)> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let name = name.strip_prefix("db.")?.strip_suffix(".ckp")?;
    let (table, number) = match name.rsplit_once(['_', '#']) {
        Some((table, number)) if is_number(number) => (table, Some(number.to_owned())),
        _ => (name, None),
    };
    let is_table = |letter: char| letter.is_ascii_lowercase() || letter == '.';
    (!table.is_empty() && table.chars().all(is_table)).then(|| (table.to_owned(), number))
}

fn is_number(text: &str) -> bool {
    text.len() == NUMBER_DIGITS
        && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Sorted by name; the error says why these files are not the parts of one checkpoint.
pub fn parts_in(folder: &Path, mut files: Vec<PathBuf>) -> Result<Vec<PathBuf>, String> {
    files.sort();
    let (digests, parts): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|path| path.extension().is_some_and(|end| end == "md5"));
    if parts.is_empty() {
        return Err("contains no checkpoint".to_owned());
    }
    if let Some(other) = parts.iter().find(|path| part_name(path).is_none()) {
        return Err(format!("is not one parallel checkpoint, because it contains {}", name(other)));
    }
    refuse_twice(&parts)?;
    refuse_missing(folder, &parts, &digests)?;
    Ok(parts)
}

fn refuse_twice(parts: &[PathBuf]) -> Result<(), String> {
    let mut numbers: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    for (table, number) in parts.iter().filter_map(|path| part_name(path)) {
        let known = numbers.entry(table.clone()).or_default();
        let is_other_kind = known.iter().any(|other| other.is_some() != number.is_some());
        if !known.insert(number) || is_other_kind {
            return Err(format!("contains db.{table} of two checkpoints"));
        }
    }
    Ok(())
}

fn refuse_missing(folder: &Path, parts: &[PathBuf], digests: &[PathBuf]) -> Result<(), String> {
    let has = |needed: &str| {
        parts.iter().filter_map(|path| part_name(path)).any(|(table, _)| table == needed)
    };
    if let Some(table) = NEEDED_TABLES.iter().find(|table| !has(table)) {
        return Err(format!("lacks the part db.{table}.ckp, so it is not a whole checkpoint"));
    }
    let lacks_part = |digest: &&PathBuf| {
        let part = folder.join(digest.file_stem().unwrap_or_default());
        let plain_or_gzip = [part.with_extension("ckp.gz"), part.clone()];
        part_name(&part).is_some() && !parts.iter().any(|path| plain_or_gzip.contains(path))
    };
    if let Some(digest) = digests.iter().find(lacks_part) {
        return Err(format!("has {}, but not the part that belongs to it", name(digest)));
    }
    let undigested = parts.iter().find(|path| digest::file_of(path).is_none());
    match undigested.filter(|_| parts.iter().any(|path| digest::file_of(path).is_some())) {
        Some(part) => Err(format!(
            "has no {}.md5, unlike other parts: it was not copied, or p4d is still writing the part",
            name(part)
        )),
        None => Ok(()),
    }
}

/// The error says that the notes at the start of these files are of two servers, or of two
/// checkpoints of one. Files without a note are skipped.
pub fn refuse_mixture(parts: &[PathBuf]) -> Result<(), String> {
    let mut headers: Vec<(Header, &PathBuf)> =
        parts.iter().filter_map(|path| Some((Header::of(path)?, path))).collect();
    headers.sort_by_key(|(header, _)| header.time_s);
    for ((header, path), (next, next_path)) in headers.iter().zip(headers.iter().skip(1)) {
        let what = if header.server != next.server {
            "two servers (or two releases of one)"
        } else if next.time_s.saturating_sub(header.time_s) > MAX_PAUSE_S {
            "two checkpoints of different days"
        } else {
            continue;
        };
        return Err(format!("{} and {} are of {what}", name(path), name(next_path)));
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_parts_are_those_of_every_release() {
        for (name, table, number) in [
            ("db.archive.ckp", "archive", None),
            ("db.user.rp.ckp.gz", "user.rp", None),
            ("db.revcx_0000001f.ckp.gz", "revcx", Some("0000001f")),
            ("db.revcx#00000001.ckp", "revcx", Some("00000001")),
        ] {
            let expected = Some((table.to_owned(), number.map(str::to_owned)));
            assert_eq!(part_name(Path::new(name)), expected, "{name}");
        }
        for name in ["db.have", "p4_1.ckp", "db.have.ckp.md5", "db.have_1.ckp", "db..CKP", "db.ckp"]
        {
            assert_eq!(part_name(Path::new(name)), None, "{name}");
        }
    }
}
