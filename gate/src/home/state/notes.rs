//! Counting of decisions in the state file, which limits the lines of the decision log. The first
//! decision of each verdict, rule and user is logged immediately; further ones within ten seconds
//! are only counted, and their next line states the number.

use super::entry::{ENTRY_BYTES, Entry, Note, PendingDecisions};
use super::header::{Counter, Header};
use super::layout::Layout;
use crate::base::fault::Fault;
use crate::home::folder::TrustedFile;
use crate::rules::keys::of_note;
use crate::rules::outcome::Verdict;

const ENTRIES: usize = 16;

/// The two ways to record a decision: write a line of the decision log now, or only count the
/// decision in the state file.
#[derive(Debug, PartialEq, Eq)]
pub enum LogTime {
    /// Decision that is not logged now; a later line of the decision log will include it, unless
    /// the state file had no free entry to count it.
    Later,
    /// Decision that is logged now, with the number of decisions that the log line stands for, and
    /// the counted decisions of another verdict, rule or user whose entry in the state file it
    /// displaced (None if there are none).
    Now(u64, Option<PendingDecisions>),
}

/// Counts a decision in the state file; returns whether a line of the decision log is to be written
/// now, and for how many decisions.
pub(super) fn note(
    open_file: &TrustedFile,
    header: &mut Header,
    note: &Note<'_>,
    now_ns: u64,
) -> Result<LogTime, Fault> {
    let would = note.enforced_verdict.map_or("", Verdict::word);
    let key = of_note(&header.secret, [note.verdict, would, note.rule], note.user);
    let page = u64::try_from(key % u128::from(header.layout.notes.max(1))).unwrap_or(0);
    let start = Layout::notes_start() + page * (ENTRY_BYTES * ENTRIES) as u64;
    let entries = read(open_file, start)?;
    let Some((index, entry)) = choose(entries, key, header, now_ns) else {
        header.count(Counter::Unlogged);
        return Ok(LogTime::Later);
    };
    let offset = start + index * ENTRY_BYTES as u64;
    let (entry, log_time) = settle(entry, key, note, header, now_ns);
    open_file.write(&entry.to_bytes(), offset)?;
    Ok(log_time)
}

pub(super) fn pending(
    open_file: &TrustedFile,
    header: &Header,
) -> Result<Vec<PendingDecisions>, Fault> {
    let mut all = Vec::new();
    for page in 0..u64::from(header.layout.notes) {
        let entries =
            read(open_file, Layout::notes_start() + page * (ENTRY_BYTES * ENTRIES) as u64)?;
        let pending = entries.into_iter().flatten().map(|entry| entry.pending_decisions);
        all.extend(pending.filter(|pending| pending.count > 0));
    }
    Ok(all)
}

/// Chooses the entry that counts a key's decisions for the decision log among the entries of one
/// page of the state file: the key's own entry, otherwise a free or expired one. Returns the index
/// and the present content; None if all entries are occupied.
fn choose(
    entries: [Option<Entry>; ENTRIES],
    key: u128,
    header: &Header,
    now_ns: u64,
) -> Option<(u64, Option<Entry>)> {
    let mut free = None;
    for (index, entry) in (0..).zip(entries) {
        match entry {
            Some(entry) if entry.key == key => return Some((index, Some(entry))),
            Some(entry) if entry.is_quiet(header, now_ns) => {}
            entry => free = free.or(Some((index, entry))),
        }
    }
    free
}

fn settle(
    entry: Option<Entry>,
    key: u128,
    note: &Note<'_>,
    header: &Header,
    now_ns: u64,
) -> (Entry, LogTime) {
    match entry {
        Some(mut entry) if entry.key == key && entry.is_quiet(header, now_ns) => {
            entry.pending_decisions.count = entry.pending_decisions.count.saturating_add(1);
            (entry, LogTime::Later)
        }
        Some(entry) if entry.key == key => {
            let count = entry.pending_decisions.count.saturating_add(1);
            (Entry::for_logged_decision(key, note, header, now_ns), LogTime::Now(count, None))
        }
        other => {
            let pending =
                other.map(|entry| entry.pending_decisions).filter(|pending| pending.count > 0);
            (Entry::for_logged_decision(key, note, header, now_ns), LogTime::Now(1, pending))
        }
    }
}

fn read(open_file: &TrustedFile, start: u64) -> Result<[Option<Entry>; ENTRIES], Fault> {
    let mut page = [[0; ENTRY_BYTES]; ENTRIES];
    open_file.read(page.as_flattened_mut(), start)?;
    Ok(page.map(|entry| Entry::from_bytes(&entry).ok()))
}
