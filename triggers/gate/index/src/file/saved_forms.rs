//! Notes about recently saved forms, which the checkpoint may not contain.
//!
//! The gate writes the notes (`home/saved_forms.rs`). The file has slots of equal size, and a hash
//! of the client's or stream's name selects the slot; so a note costs one read and one write, and
//! the file does not grow beyond its slots. A slot consists of: CRC-32 of its text as 8 hexadecimal
//! digits, the length of the text in bytes as 8 digits, the text, and NUL bytes up to the slot's
//! size. The text is a line with the time of the latest note dropped for lack of space (0 if none),
//! followed by the notes, latest first. A note consists of its time in seconds since the Unix
//! epoch, the name, and `unknown`; or `view`, the number of roots, the roots, and the depot side
//! and the client side of each view line, the former with its mark; or, of a view that is too long,
//! `files`, the least and the largest number of files that it spans, the number of roots, and the roots. These are
//! separated by NUL, and a line end terminates a note.

use crate::base::checksum::crc_32;
use crate::base::order::is_same_name;
use crate::file::client::ClientMapping;
use crate::file::view_line::ViewLine;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

pub const SLOT_BYTES: usize = 4096;
const SLOTS: u64 = 8192;
/// Of the whole file, which is sparse.
pub const BYTES: u64 = SLOTS * SLOT_BYTES as u64;
pub const OTHER_LENGTH: &str = "it is cut short; remove it, and build an index of a new checkpoint";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// In seconds since the Unix epoch; not too early if the note was dropped or its slot is
    /// damaged.
    pub time_s: u64,
    /// None for a stream, or if the view is unknown.
    pub mapping: Option<ClientMapping>,
    /// At least and at most, if the view was too long for the note; `mapping` then has the roots only.
    pub files: Option<[u64; 2]>,
}

#[derive(Clone)]
pub struct SavedForms(Rc<File>);

impl SavedForms {
    /// The error says why the file cannot be used.
    pub fn of_file(file: File) -> Result<Self, String> {
        match file.metadata() {
            Ok(known) if known.len() == BYTES => Ok(SavedForms(Rc::new(file))),
            Ok(_) => Err(OTHER_LENGTH.to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// If none is found, but the slot is damaged or has dropped notes, a note without a view.
    pub fn note(&self, name: &[u8], folds: bool) -> Option<Note> {
        let slot = read_slot(&self.0, slot_of(name));
        if slot.iter().all(|byte| *byte == 0) {
            return None;
        }
        let unknown = |time_s| Some(Note { time_s, mapping: None, files: None });
        match text(&slot) {
            None => unknown(u64::MAX),
            Some(text) => find_note(text, name, folds).unwrap_or_else(|| unknown(u64::MAX)),
        }
    }
}

/// In bytes from the start of the file. Names that differ only in case share a slot.
pub fn slot_of(name: &[u8]) -> u64 {
    u64::from(crc_32(&name.to_ascii_lowercase())) % SLOTS * SLOT_BYTES as u64
}

/// NUL bytes where the file ends; a damaged slot if it cannot be read.
pub fn read_slot(file: &File, at: u64) -> [u8; SLOT_BYTES] {
    let (mut slot, mut filled_bytes) = ([0; SLOT_BYTES], 0);
    while let Some(rest) = slot.get_mut(filled_bytes..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at + filled_bytes as u64) {
            Ok(0) => break,
            Err(_) => return [u8::MAX; SLOT_BYTES],
            Ok(bytes) => filled_bytes += bytes,
        }
    }
    slot
}

/// None if the slot is damaged.
pub fn text(slot: &[u8]) -> Option<&[u8]> {
    let (start, text) = slot.split_at_checked(16)?;
    let (crc, length) = std::str::from_utf8(start).ok()?.split_at_checked(8)?;
    let text = text.get(..length.parse().ok()?)?;
    (crc_32(text) == u32::from_str_radix(crc, 16).ok()?).then_some(text)
}

/// Some(None) without a note, or a note without a view if the slot has dropped notes. None if the
/// text is invalid.
fn find_note(text: &[u8], name: &[u8], folds: bool) -> Option<Option<Note>> {
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lost_s = number(lines.next()?)?;
    for line in lines {
        let mut parts = line.split(|byte| *byte == 0);
        let time_s = number(parts.next()?)?;
        let note_name = parts.next()?;
        if is_same_name(note_name, name, folds) {
            let kind = parts.next()?;
            let files = match kind {
                b"files" => Some([number(parts.next()?)?, number(parts.next()?)?]),
                _ => None,
            };
            let is_known = files.is_some() || kind == b"view";
            let mapping = if is_known { Some(mapping(parts)?) } else { None };
            return Some(Some(Note { time_s, mapping, files }));
        }
    }
    Some((lost_s > 0).then_some(Note { time_s: lost_s, mapping: None, files: None }))
}

fn mapping<'t>(mut parts: impl Iterator<Item = &'t [u8]>) -> Option<ClientMapping> {
    let roots = number(parts.next()?)?;
    let mut mapping = ClientMapping::default();
    for _ in 0..roots {
        mapping.roots.push(parts.next()?.to_vec());
    }
    for number in 0.. {
        let Some(depot) = parts.next() else { break };
        mapping.add(ViewLine::marked(number, depot, parts.next()?));
    }
    Some(mapping)
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slot(lines: &[&str]) -> Vec<u8> {
        let text = lines.concat();
        format!("{:08x}{:08}{text}", crc_32(text.as_bytes()), text.len()).into_bytes()
    }

    #[test]
    fn find_note_returns_the_note_of_a_name_or_the_time_of_lost_notes() {
        let text = slot(&[
            "17\n",
            "9\0ws\0view\x002\0/w\0c:\\w\0//d/...\0//ws/...\n",
            "8\0//s/main\0unknown\n",
            "7\0wide\0files\x00900\x001200\x001\0/w\n",
        ]);
        let note = |name: &str, folds| find_note(super::text(&text)?, name.as_bytes(), folds)?;
        let mapping = note("ws", false).and_then(|note| note.mapping).unwrap_or_default();
        assert_eq!(mapping.roots, [b"/w".to_vec(), b"c:\\w".to_vec()]);
        assert_eq!(mapping.view.first().map(|line| &line.client[..]), Some(&b"//ws/..."[..]));
        assert_eq!(note("//s/main", false), Some(Note { time_s: 8, mapping: None, files: None }));
        assert_eq!(note("WS", false), Some(Note { time_s: 17, mapping: None, files: None }));
        let wide = note("wide", false).map(|note| (note.files, note.mapping.unwrap_or_default()));
        assert_eq!(
            wide.map(|(files, mapping)| (files, mapping.roots.len())),
            Some((Some([900, 1200]), 1))
        );
        assert_eq!(note("WS", true).map(|note| note.time_s), Some(9));
    }

    #[test]
    fn find_note_of_an_unknown_name_is_none_if_no_notes_were_lost() {
        let text = slot(&["0\n", "9\0ws\0unknown\n"]);
        assert_eq!(
            super::text(&text).and_then(|text| find_note(text, b"other", false)),
            Some(None)
        );
    }

    proptest! {
        #[test]
        fn reading_an_arbitrary_slot_does_not_panic(bytes: Vec<u8>, name: Vec<u8>) {
            let _ = text(&bytes);
            let _ = find_note(&bytes, &name, true);
        }
    }
}
