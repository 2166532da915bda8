//! The queues in the state file: of each rule that limits commands at once, those that run or wait.
//!
//! Read and written only by decisions of such rules. A rule has a few pages; the first is the only one
//! that most decisions read.

use super::header::LockedState;
use super::layout::{Layout, PAGE_BYTES, QUEUE_PAGES, QUEUES};
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::base::fault::Fault;
use crate::rate::queue::{Entry, MOST_LIMITS, Process, Queue};

const ENTRY_BYTES: usize = 4 + 8 + 1 + 8 + 8 + MOST_LIMITS * 8;
const HEAD_BYTES: usize = 8 + 4 + 4;
const ENTRIES: usize = (PAGE_BYTES as usize - HEAD_BYTES - 8) / ENTRY_BYTES;
const MOST: usize = ENTRIES * QUEUE_PAGES as usize;

/// The queue of one rule that a decision has read.
#[derive(Debug)]
pub(super) struct RuleQueue {
    pub rule: u64,
    /// None if other rules occupy all places for queues.
    place: Option<u64>,
    pub queue: Queue,
    read: Queue,
}

impl RuleQueue {
    pub fn read(state: LockedState<'_>, rule: u64) -> Result<Self, Fault> {
        let mut free = None;
        for distance in 0..QUEUES {
            let place = rule.wrapping_add(distance) % QUEUES;
            let (owner, queue) = read(state, place)?;
            if owner == rule {
                return Ok(RuleQueue { rule, place: Some(place), read: queue.clone(), queue });
            }
            let is_over = queue.0.iter().all(|entry| entry.until_ns <= state.now_ns);
            free = free.or(is_over.then_some(place));
        }
        let (queue, read) = Default::default();
        Ok(RuleQueue { rule, place: free, queue, read })
    }

    /// Of all rules.
    pub fn all(state: LockedState<'_>) -> Result<Vec<Self>, Fault> {
        let at = |place| {
            let (rule, queue) = read(state, place)?;
            Ok(RuleQueue { rule, place: Some(place), read: queue.clone(), queue })
        };
        (0..QUEUES).map(at).collect()
    }

    /// Whether one more needs another page. Those that have ended are sought then, so that a decision
    /// seldom reads more than the first.
    pub fn fills_its_pages(&self) -> bool {
        !self.queue.0.is_empty() && self.queue.0.len().is_multiple_of(ENTRIES)
    }

    /// Whether it can hold one more.
    pub fn has_room(&self) -> bool {
        self.place.is_some() && self.queue.0.len() < MOST
    }

    pub fn write(&self, state: LockedState<'_>) -> Result<(), Fault> {
        let Some(place) = self.place.filter(|_| self.queue != self.read) else { return Ok(()) };
        let pages = self.queue.0.len() / ENTRIES + 1;
        for number in 0..pages.min(QUEUE_PAGES as usize) {
            let from = number * ENTRIES;
            let to = self.queue.0.len().min(from + ENTRIES);
            let entries = self.queue.0.get(from..to).unwrap_or_default();
            let content = to_bytes(self.rule, state.header.epoch, entries);
            state.open_file.write(&content, Layout::queue(place, number as u64))?;
        }
        Ok(())
    }
}

/// The hash of the rule's name, 0 for none, and its commands since the machine's last start. A page
/// that is full is followed by another.
fn read(state: LockedState<'_>, place: u64) -> Result<(u64, Queue), Fault> {
    let (mut owner, mut queue) = (0, Queue::default());
    for number in 0..QUEUE_PAGES {
        let mut bytes = [0; PAGE_BYTES as usize];
        state.open_file.read(&mut bytes, Layout::queue(place, number))?;
        let Some(from) = state.checked(&bytes)? else { break };
        let page = from_bytes(from, state.header.epoch).map_err(|CorruptData| state.damage())?;
        let Some((rule, entries)) = page else { break };
        if number > 0 && rule != owner {
            break;
        }
        owner = rule;
        let is_last = entries.len() < ENTRIES;
        queue.0.extend(entries);
        if is_last {
            break;
        }
    }
    Ok((owner, queue))
}

/// None for a page of another epoch.
fn from_bytes(mut from: Reader<'_>, epoch: u32) -> Result<Option<(u64, Vec<Entry>)>, CorruptData> {
    let (rule, of_epoch, count) = (from.u64()?, from.u32()?, from.u32()?);
    if of_epoch != epoch {
        return Ok(None);
    }
    Ok(Some((rule, (0..count).map(|_| entry(&mut from)).collect::<Result<_, _>>()?)))
}

fn entry(from: &mut Reader<'_>) -> Result<Entry, CorruptData> {
    let process = Process { id: from.u32()?, started: from.u64()? };
    let (runs, until_ns, user) = (from.u8()? != 0, from.u64()?, from.u64()?);
    let mut keys = [0; MOST_LIMITS];
    for key in &mut keys {
        *key = from.u64()?;
    }
    Ok(Entry { process, runs, until_ns, user, keys })
}

fn to_bytes(rule: u64, epoch: u32, entries: &[Entry]) -> Vec<u8> {
    let mut to = Writer(Vec::with_capacity(PAGE_BYTES as usize));
    to.u64(rule).u32(epoch).u32(u32::try_from(entries.len()).unwrap_or(0));
    for Entry { process, runs, until_ns, user, keys } in entries {
        to.u32(process.id).u64(process.started).u8((*runs).into()).u64(*until_ns).u64(*user);
        keys.iter().for_each(|key| {
            to.u64(*key);
        });
    }
    to.sealed(PAGE_BYTES as usize)
}
