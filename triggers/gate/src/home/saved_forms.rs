//! Notes of clients and streams as they are saved, for estimates of the rows that commands read; the
//! index has the old view until it is made of a later checkpoint.
//!
//! The format is in `triggers/gate/index/src/file/saved_forms.rs`. A note costs one read and one
//! write, however many others are saved. Of a view that does not fit into a slot the note has the
//! number of files that it spans by the index. Views of streams, and malformed ones, are noted as
//! unknown.

use crate::base::fault::Fault;
use crate::base::text::number;
use crate::event::form_event::FormEvent;
use crate::forms::form::Form;
use crate::forms::view_lines::{ViewLine, ViewType, is_of_stream, lines_with_exclusions};
use crate::home::file_lock::lock;
use crate::home::folder::{Home, SAVED, TrustedFile};
use crate::paths::view_words::{Flag, split_flag};
use p4warden_index::base::checksum::crc_32;
use p4warden_index::estimate::count::Estimate;
use p4warden_index::file::saved_forms::{
    BYTES, OTHER_LENGTH, SLOT_BYTES, read_slot, slot_of, text,
};

/// By which rules with an index judge other events.
pub const FORMS: [&str; 2] = ["client", "stream"];
/// The longest name that p4d accepts (`Identifiers too long`, msgdm); longer ones are not noted, nor
/// are those with a line end (`Non-printing characters not allowed`, msgdm).
const MAX_NAME_BYTES: usize = 1024;
/// Checksum and length.
const HEAD_BYTES: usize = 16;
/// The time of a note, or of the latest dropped one, with its separator.
const TIME_BYTES: usize = 24;
const UNKNOWN: &[u8] = b"unknown";

/// `files_of` returns the number of files that depot paths span; None if unknown. A fault if the
/// note cannot be written.
pub fn note(
    home: &Home,
    event: &FormEvent<'_>,
    now_s: u64,
    files_of: impl Fn(&[Vec<u8>]) -> Option<Estimate>,
) -> Result<(), Fault> {
    let is_noted = |name: &&[u8]| name.len() <= MAX_NAME_BYTES && is_one_line(name);
    let Some(name) = event.name.filter(is_noted) else { return Ok(()) };
    let content = content(event, name, files_of);
    let line = [now_s.to_string().as_bytes(), b"\0", name, b"\0", &content, b"\n"].concat();
    let (open_file, at) = (lay_out(lock(home, SAVED)?)?, slot_of(name));
    let slot = with_note(&read_slot(&open_file.file, at), name, line, now_s);
    open_file.write(&slot, at)
}

/// A file that lost notes takes no more.
fn lay_out(open_file: TrustedFile) -> Result<TrustedFile, Fault> {
    match open_file.bytes {
        BYTES => {}
        0 => {
            open_file.allow_length(BYTES)?;
            open_file.file.set_len(BYTES).map_err(|error| open_file.fault(&error))?;
        }
        _ => return Err(open_file.fault(&OTHER_LENGTH)),
    }
    Ok(open_file)
}

fn content(
    event: &FormEvent<'_>,
    name: &[u8],
    files_of: impl Fn(&[Vec<u8>]) -> Option<Estimate>,
) -> Vec<u8> {
    let form = event.readable_form().filter(|_| event.form_type == Some(b"client"));
    let Some((form, view)) = form.and_then(|form| Some((form, view(form)?))) else {
        return UNKNOWN.to_vec();
    };
    let roots = ["root", "altroots"].into_iter().flat_map(|field| form.lines(field));
    // A root may have line ends within its quotation marks; without it the view is known all the same.
    let roots = roots.map(|line| without_quotes(line)).filter(|root| is_one_line(root));
    let roots: Vec<&[u8]> = roots.collect();
    let number = roots.len().to_string();
    let joined = |words: &[&[u8]], sides: &[&[u8]]| {
        [words, &[number.as_bytes()], &roots, sides].concat().join(&b'\0')
    };
    let room = SLOT_BYTES - HEAD_BYTES - TIME_BYTES * 3 - name.len();
    let sides: Vec<_> = view.iter().flatten().map(Vec::as_slice).collect();
    let note = joined(&[b"view"], &sides);
    if note.len() <= room {
        return note;
    }
    let included = view.iter().map(|[depot, _]| split_flag(depot));
    let included = included.filter(|(flag, _)| *flag != Flag::Exclude);
    let paths: Vec<_> = included.map(|(_, path)| path.to_vec()).collect();
    let Some(files) = files_of(&paths) else { return UNKNOWN.to_vec() };
    let files = format!("files\0{}\0{}", files.at_least, files.at_most).into_bytes();
    let note = joined(&[&files], &[]);
    if note.len() <= room { note } else { [&files, &b"\x000"[..]].concat() }
}

/// Otherwise it would end the note.
fn is_one_line(text: &[u8]) -> bool {
    !text.contains(&b'\n')
}

fn without_quotes(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| *byte != b'"').unwrap_or(text.len());
    let end = text.iter().rposition(|byte| *byte != b'"').map_or(start, |at| at + 1);
    text.get(start..end).unwrap_or_default()
}

/// Both sides of each line of a client's view, the depot side with its mark; None if the view is
/// unknown, as is an empty one: p4d may give a client that was deleted and made anew another.
fn view(form: &Form<'_>) -> Option<Vec<[Vec<u8>; 2]>> {
    if is_of_stream(form) {
        return None;
    }
    let lines = lines_with_exclusions(form, ViewType::Client).into_iter().map(|line| match line {
        ViewLine::Malformed(_) => None,
        ViewLine::Path(line) => {
            let depot = [line.flag.mark().as_bytes(), &line.path].concat();
            let sides = [depot, line.client_path.unwrap_or_default().into_owned()];
            sides.iter().all(|side| is_one_line(side)).then_some(sides)
        }
    });
    lines.collect::<Option<Vec<_>>>().filter(|lines| !lines.is_empty())
}

/// The slot with a note added in place of an earlier one of the name. A slot has the notes of all
/// names with one hash; if it is full, the oldest are dropped.
fn with_note(slot: &[u8], name: &[u8], line: Vec<u8>, now_s: u64) -> Vec<u8> {
    let (mut lost_s, notes) = notes(slot, now_s);
    let mut room = (SLOT_BYTES - HEAD_BYTES - TIME_BYTES).saturating_sub(line.len());
    let mut kept = vec![line];
    for (time_s, old_name, note) in notes {
        if old_name == name {
            continue;
        }
        if note.len() < room {
            room -= note.len() + 1;
            kept.push([note, b"\n"].concat());
        } else {
            room = 0;
            lost_s = lost_s.max(time_s);
        }
    }
    let text = [format!("{lost_s}\n").into_bytes(), kept.concat()].concat();
    let head = format!("{:08x}{:08}", crc_32(&text), text.len());
    let mut slot = [head.as_bytes(), &text].concat();
    slot.resize(SLOT_BYTES, 0);
    slot
}

/// The time, the name and the whole line.
type Note<'s> = (u64, &'s [u8], &'s [u8]);

/// The time of the latest dropped note, 0 if none, and the notes. A damaged slot counts as having
/// dropped all notes just now.
fn notes(slot: &[u8], now_s: u64) -> (u64, Vec<Note<'_>>) {
    if slot.iter().all(|byte| *byte == 0) {
        return (0, Vec::new());
    }
    text(slot).and_then(read_notes).unwrap_or((now_s, Vec::new()))
}

fn read_notes(text: &[u8]) -> Option<(u64, Vec<Note<'_>>)> {
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lost_s = number(lines.next()?)?;
    let note = |line| {
        let mut parts = <[u8]>::split(line, |byte| *byte == 0);
        Some((number(parts.next()?)?, parts.next()?, line))
    };
    Some((lost_s, lines.map(note).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(name: &str, length: usize) -> Vec<u8> {
        format!("7\0{name}\0{}\n", "x".repeat(length)).into_bytes()
    }

    #[test]
    fn a_slot_keeps_the_latest_notes_and_the_time_of_the_latest_dropped_one() {
        let mut slot = vec![0; SLOT_BYTES];
        for (name, length) in [("a", 1000), ("b", 1500), ("a", 1200), ("c", 1500)] {
            slot = with_note(&slot, name.as_bytes(), line(name, length), 9);
        }
        let names = |slot: &[u8]| {
            let (lost_s, notes) = notes(slot, 9);
            let names = notes.iter().map(|note| String::from_utf8(note.1.to_vec()).unwrap());
            (lost_s, names.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(slot.len(), SLOT_BYTES);
        assert_eq!(names(&slot), (7, "c a".to_owned()));
        if let Some(byte) = slot.get_mut(20) {
            *byte ^= 1;
        }
        assert_eq!(names(&slot), (9, String::new()));
    }

    proptest! {
        #[test]
        fn any_slot_takes_a_note(slot in proptest::collection::vec(any::<u8>(), SLOT_BYTES)) {
            let slot = with_note(&slot, b"ws", line("ws", 3), 9);
            prop_assert_eq!(notes(&slot, 9).1.len(), 1);
        }
    }
}
