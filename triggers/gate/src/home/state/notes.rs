//! Counting of decisions in the state file, which limits the lines of the decision log. The first
//! decision of each verdict, rule and user (for unknown verdicts, form of command) is logged
//! immediately, except of commands with an unknown one; further ones within ten seconds
//! are only counted, and the next line states their number. Users can forge names, but not their
//! address: of one address only so many users get lines of their own, and one line counts the rest.

use super::entry::{ENTRY_BYTES, Entry, Note, PendingDecisions};
use super::header::LockedState;
use super::layout::Layout;
use crate::base::bytes::CorruptData;
use crate::base::fault::Fault;
use crate::contract::keys::of_note;
use crate::judge::command_outcome::Verdict;

const ENTRIES: usize = 16;
/// Users of one address about whom lines with one verdict and rule are written within 10 seconds.
const MOST_USERS: u8 = 16;

/// When a line of the decision log tells of a decision.
#[derive(Debug, PartialEq, Eq)]
pub enum LogTime {
    /// A later line includes it, unless the state file had no free entry to count it.
    Later,
    /// The number of decisions that the line stands for, and the counted decisions that get lines of
    /// their own before: those whose entries it displaced (of another verdict, rule or user, or of
    /// further users of the same address), and equal ones of another minute.
    Now(u64, Vec<PendingDecisions>),
}

/// The place in the state file that counts the decisions of one key.
struct Slot {
    key: u128,
    offset: u64,
    entry: Option<Entry>,
}

/// None if no entry is free.
pub(super) fn note(state: LockedState<'_>, note: &Note<'_>) -> Result<Option<LogTime>, Fault> {
    let Some(mut slot) = Slot::find(state, note, note.user)? else { return Ok(None) };
    if slot.own().is_some_and(|entry| entry.is_quiet(state)) {
        return slot.count_later(state, |entry| entry.add(state.wall_ns));
    }
    let others = match of_address(state, note)? {
        AddressLines::Free { others, taken } => {
            if taken == Some(slot.offset) {
                // It was free for the user as well.
                match Slot::find(state, note, note.user)? {
                    Some(free) => slot = free,
                    None => return Ok(Some(LogTime::Now(1, others))),
                }
            }
            others
        }
        AddressLines::Full(_) if slot.own().is_some() => {
            return slot.count_later(state, |entry| entry.add(state.wall_ns));
        }
        AddressLines::Full(address) => {
            return address.count_later(state, |entry| entry.add_user(note.user, state.wall_ns));
        }
    };
    let (mut entry, mut log_time) = settle(slot.entry, slot.key, note, state, others);
    // The log is about objections: the first command of a form that no rule can judge is only
    // counted, and further ones get lines as all decisions. Without a form, the index is damaged.
    let is_unjudged =
        note.verdict == Verdict::Unknown.word() && note.event == "command" && !note.user.is_empty();
    if is_unjudged && log_time == LogTime::Now(1, Vec::new()) {
        entry.pending_decisions.count = 1;
        log_time = LogTime::Later;
    }
    state.open_file.write(&entry.to_bytes(), slot.offset)?;
    Ok(Some(log_time))
}

/// Whether a line about a further user of an address may be written now.
enum AddressLines {
    /// A line may be written, and before it those of these counted decisions. `taken` is the place
    /// of the address's entry.
    Free { others: Vec<PendingDecisions>, taken: Option<u64> },
    /// The address has had its lines; its own entry counts the decisions about further users.
    Full(Slot),
}

/// Takes one of the lines of a decision's address. Decisions without a user or an address need none,
/// and neither do those for which the page of the address has no free entry.
fn of_address(state: LockedState<'_>, note: &Note<'_>) -> Result<AddressLines, Fault> {
    if note.user.is_empty() || note.ip.is_empty() {
        return Ok(AddressLines::Free { others: Vec::new(), taken: None });
    }
    // No user's name has a NUL byte, so that no user shares an address's entry.
    let name = [b"\0", note.ip].concat();
    let Some(mut slot) = Slot::find(state, note, &name)? else {
        return Ok(AddressLines::Free { others: Vec::new(), taken: None });
    };
    let mut others = Vec::new();
    match slot.entry.take() {
        Some(mut entry) if entry.key == slot.key && entry.is_quiet(state) => {
            let is_full = entry.logged_users >= MOST_USERS;
            entry.logged_users += u8::from(!is_full);
            slot.entry = Some(entry);
            if is_full {
                return Ok(AddressLines::Full(slot));
            }
        }
        old => {
            others.extend(old.map(|entry| entry.pending_decisions).filter(|old| old.count > 0));
            slot.entry = Some(Entry::for_address(slot.key, note, state));
        }
    }
    slot.write(state)?;
    Ok(AddressLines::Free { others, taken: Some(slot.offset) })
}

impl Slot {
    fn find(state: LockedState<'_>, note: &Note<'_>, name: &[u8]) -> Result<Option<Self>, Fault> {
        let would = note.enforced_verdict.map_or("", Verdict::word);
        let reading = if note.is_unusual { "unusual" } else { "" };
        let key = of_note(&state.header.secret, [note.verdict, would, reading, note.rule], name);
        let pages = u128::from(state.header.layout.notes.max(1));
        let start = page_start(u64::try_from(key % pages).unwrap_or(0));
        let chosen = choose(read(state, start)?, key, state);
        let slot = |(index, entry)| Slot { key, offset: start + index * ENTRY_BYTES as u64, entry };
        Ok(chosen.map(slot))
    }

    /// Unless the entry is of another key.
    fn own(&self) -> Option<&Entry> {
        self.entry.as_ref().filter(|entry| entry.key == self.key)
    }

    fn count_later(
        mut self,
        state: LockedState<'_>,
        count: impl Fn(&mut Entry),
    ) -> Result<Option<LogTime>, Fault> {
        self.entry.iter_mut().for_each(count);
        self.write(state)?;
        Ok(Some(LogTime::Later))
    }

    fn write(&self, state: LockedState<'_>) -> Result<(), Fault> {
        let Some(entry) = &self.entry else { return Ok(()) };
        state.open_file.write(&entry.to_bytes(), self.offset)
    }
}

pub(super) fn pending(state: LockedState<'_>) -> Result<Vec<PendingDecisions>, Fault> {
    let mut all = Vec::new();
    for page in 0..u64::from(state.header.layout.notes) {
        let entries = read(state, page_start(page))?.into_iter().flatten();
        let pending = entries.map(|entry| entry.pending_decisions);
        all.extend(pending.filter(|pending| pending.count > 0));
    }
    Ok(all)
}

fn page_start(page: u64) -> u64 {
    Layout::notes_start() + page * (ENTRY_BYTES * ENTRIES) as u64
}

/// The key's own entry of a page, otherwise a free or expired one: its index and its present content.
/// None if all entries are occupied.
fn choose(
    entries: [Option<Entry>; ENTRIES],
    key: u128,
    state: LockedState<'_>,
) -> Option<(u64, Option<Entry>)> {
    let mut free = None;
    for (index, entry) in (0..).zip(entries) {
        match entry {
            Some(entry) if entry.key == key => return Some((index, Some(entry))),
            Some(entry) if entry.is_quiet(state) => {}
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
    state: LockedState<'_>,
    mut others: Vec<PendingDecisions>,
) -> (Entry, LogTime) {
    let pending = entry.map(|entry| (entry.key, entry.pending_decisions));
    let count = match pending {
        Some((own, pending)) if own == key && pending.is_of_this_minute(state.wall_ns) => {
            pending.count.saturating_add(1)
        }
        Some((_, pending)) if pending.count > 0 => {
            others.push(pending);
            1
        }
        _ => 1,
    };
    (Entry::for_logged_decision(key, note, state), LogTime::Now(count, others))
}

fn read(state: LockedState<'_>, start: u64) -> Result<[Option<Entry>; ENTRIES], Fault> {
    let (mut page, mut entries) = ([[0; ENTRY_BYTES]; ENTRIES], [const { None }; ENTRIES]);
    state.open_file.read(page.as_flattened_mut(), start)?;
    for (entry, bytes) in entries.iter_mut().zip(&page) {
        let read = state.checked(bytes)?.map(Entry::read).transpose();
        *entry = read.map_err(|CorruptData| state.damage())?;
    }
    Ok(entries)
}
