//! Counting of decisions in the state file, which limits the lines of the decision log. The first
//! decision of each verdict, rule and user (for unknown verdicts, form of command) is logged
//! immediately, except of commands with an unknown one; further ones within ten seconds
//! are only counted, and their next line states the number. Users can forge names, but not their
//! address: of one address only so many users get lines of their own, and one line counts the rest.

use super::entry::{ENTRY_BYTES, Entry, Note, PendingDecisions};
use super::header::{Counter, Header};
use super::layout::Layout;
use crate::base::fault::Fault;
use crate::home::folder::TrustedFile;
use crate::rules::keys::of_note;
use crate::rules::outcome::Verdict;

const ENTRIES: usize = 16;
/// Users of one address about whom lines with one verdict and rule are written within 10 seconds.
const MOST_USERS: u8 = 16;

/// The two ways to record a decision: write a line of the decision log now, or only count the
/// decision in the state file.
#[derive(Debug, PartialEq, Eq)]
pub enum LogTime {
    /// Decision that is not logged now; a later line of the decision log will include it, unless
    /// the state file had no free entry to count it.
    Later,
    /// Decision that is logged now, with the number of decisions that the log line stands for, and
    /// the counted decisions whose entries in the state file it displaced: of another verdict, rule
    /// or user, or of further users of the same address.
    Now(u64, Vec<PendingDecisions>),
}

/// The place in the state file that counts the decisions of one key.
struct Slot {
    key: u128,
    offset: u64,
    entry: Option<Entry>,
}

/// Counts a decision in the state file; returns whether a line of the decision log is to be written
/// now, and for how many decisions.
pub(super) fn note(
    open_file: &TrustedFile,
    header: &mut Header,
    note: &Note<'_>,
    now_ns: u64,
) -> Result<LogTime, Fault> {
    let Some(slot) = Slot::find(open_file, header, note, note.user, now_ns)? else {
        header.count(Counter::Unlogged);
        return Ok(LogTime::Later);
    };
    let Slot { key, mut offset, mut entry } = slot;
    let is_quiet = |entry: &Entry| entry.key == key && entry.is_quiet(header, now_ns);
    if entry.as_ref().is_some_and(is_quiet) {
        return count_later(open_file, offset, entry);
    }
    let others = match of_address(open_file, header, note, now_ns)? {
        AddressRoom::Free { others, taken } => {
            if taken == Some(offset) {
                // It was free for the user as well.
                match Slot::find(open_file, header, note, note.user, now_ns)? {
                    Some(slot) => (offset, entry) = (slot.offset, slot.entry),
                    None => return Ok(LogTime::Now(1, others)),
                }
            }
            others
        }
        AddressRoom::Full(_) if entry.as_ref().is_some_and(|entry| entry.key == key) => {
            return count_later(open_file, offset, entry);
        }
        AddressRoom::Full(Slot { offset, entry, .. }) => {
            let mut entry = entry;
            entry.iter_mut().for_each(|entry| entry.add_user(note.user));
            return write(open_file, offset, entry.as_ref());
        }
    };
    let (mut entry, mut log_time) = settle(entry, key, note, header, now_ns, others);
    // The log is about objections: the first command of a form that no rule can judge is only
    // counted, and further ones get lines as all decisions.
    let is_unjudged = note.verdict == Verdict::Unknown.word() && note.event == "command";
    if is_unjudged && log_time == LogTime::Now(1, Vec::new()) {
        entry.pending_decisions.count = 1;
        log_time = LogTime::Later;
    }
    open_file.write(&entry.to_bytes(), offset)?;
    Ok(log_time)
}

fn count_later(
    open_file: &TrustedFile,
    offset: u64,
    mut entry: Option<Entry>,
) -> Result<LogTime, Fault> {
    if let Some(entry) = &mut entry {
        let count = &mut entry.pending_decisions.count;
        *count = count.saturating_add(1);
    }
    write(open_file, offset, entry.as_ref())
}

fn write(open_file: &TrustedFile, offset: u64, entry: Option<&Entry>) -> Result<LogTime, Fault> {
    if let Some(entry) = entry {
        open_file.write(&entry.to_bytes(), offset)?;
    }
    Ok(LogTime::Later)
}

/// Whether a line about a further user of an address may be written now.
enum AddressRoom {
    /// A line may be written, and before it those of these counted decisions. `taken` is the place
    /// of the address's entry.
    Free { others: Vec<PendingDecisions>, taken: Option<u64> },
    /// The address has had its lines; its own entry counts the decisions about further users.
    Full(Slot),
}

/// Takes one of the lines of a decision's address. Decisions without a user or an address need none,
/// and neither do those for which the page of the address has no free entry.
fn of_address(
    open_file: &TrustedFile,
    header: &Header,
    note: &Note<'_>,
    now_ns: u64,
) -> Result<AddressRoom, Fault> {
    if note.user.is_empty() || note.ip.is_empty() {
        return Ok(AddressRoom::Free { others: Vec::new(), taken: None });
    }
    // No user's name has a NUL byte, so that no user shares an address's entry.
    let name = [b"\0", note.ip].concat();
    let Some(mut slot) = Slot::find(open_file, header, note, &name, now_ns)? else {
        return Ok(AddressRoom::Free { others: Vec::new(), taken: None });
    };
    let mut others = Vec::new();
    match slot.entry.take() {
        Some(mut entry) if entry.key == slot.key && entry.is_quiet(header, now_ns) => {
            let is_full = entry.logged_users >= MOST_USERS;
            entry.logged_users += u8::from(!is_full);
            slot.entry = Some(entry);
            if is_full {
                return Ok(AddressRoom::Full(slot));
            }
        }
        old => {
            others.extend(old.map(|entry| entry.pending_decisions).filter(|old| old.count > 0));
            slot.entry = Some(Entry::for_address(slot.key, note, header, now_ns));
        }
    }
    write(open_file, slot.offset, slot.entry.as_ref())?;
    Ok(AddressRoom::Free { others, taken: Some(slot.offset) })
}

impl Slot {
    fn find(
        open_file: &TrustedFile,
        header: &Header,
        note: &Note<'_>,
        name: &[u8],
        now_ns: u64,
    ) -> Result<Option<Self>, Fault> {
        let would = note.enforced_verdict.map_or("", Verdict::word);
        let key = of_note(&header.secret, [note.verdict, would, note.rule], name);
        let page = u64::try_from(key % u128::from(header.layout.notes.max(1))).unwrap_or(0);
        let start = Layout::notes_start() + page * (ENTRY_BYTES * ENTRIES) as u64;
        let chosen = choose(read(open_file, start)?, key, header, now_ns);
        let slot = |(index, entry)| Slot { key, offset: start + index * ENTRY_BYTES as u64, entry };
        Ok(chosen.map(slot))
    }
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

/// The entry after a line about its user was written.
fn settle(
    entry: Option<Entry>,
    key: u128,
    note: &Note<'_>,
    header: &Header,
    now_ns: u64,
    mut others: Vec<PendingDecisions>,
) -> (Entry, LogTime) {
    let pending = entry.map(|entry| (entry.key, entry.pending_decisions));
    let count = match pending {
        Some((own, pending)) if own == key => pending.count.saturating_add(1),
        Some((_, pending)) if pending.count > 0 => {
            others.push(pending);
            1
        }
        _ => 1,
    };
    (Entry::for_logged_decision(key, note, header, now_ns), LogTime::Now(count, others))
}

fn read(open_file: &TrustedFile, start: u64) -> Result<[Option<Entry>; ENTRIES], Fault> {
    let mut page = [[0; ENTRY_BYTES]; ENTRIES];
    open_file.read(page.as_flattened_mut(), start)?;
    Ok(page.map(|entry| Entry::from_bytes(&entry).ok()))
}
