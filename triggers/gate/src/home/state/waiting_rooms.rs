//! The delayed requests in the state file: one page for requests that actually wait, and one page
//! for each of up to 32 rules that only observe but would delay requests.
//!
//! The pages are read and written only by decisions that delay, or would delay, a request.

use super::header::LockedState;
use super::layout::{Layout, SHADOWS};
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::base::fault::Fault;
use crate::rate::waiting_slots::{MOST, Room, SlotShortage, WaitingSlot, WaitingSlots};

const ROOM_BYTES: usize = 8 + 4 + MOST * 16 + 8;

/// Reserves a slot for a delayed request in the state file. Returns None if a slot was reserved,
/// otherwise the reason why none is free; None as well for a rule in observe mode that has no page
/// (see `SHADOWS`).
pub(super) fn wait(
    state: LockedState<'_>,
    room: Room,
    place: WaitingSlot,
) -> Result<Option<SlotShortage>, Fault> {
    let Some((page, rule, mut places)) = find(state, room)? else {
        return Ok(None);
    };
    let full = places.take(place, state.now_ns);
    if full.is_none() {
        let content = to_bytes(rule, state.header.epoch, &places);
        state.open_file.write(&content, Layout::room(page))?;
    }
    Ok(full)
}

/// Finds the page of the state file for the requests that actually wait, or for those that a rule
/// in observe mode would delay. Returns the number of the page, the hash of the rule's name (0 for
/// actual waits) and the requests; None if other rules occupy all pages.
fn find(state: LockedState<'_>, room: Room) -> Result<Option<(u64, u64, WaitingSlots)>, Fault> {
    let Room::Shadow(rule) = room else {
        let places = read(state, 0)?.map(|(_, places)| places);
        return Ok(Some((0, 0, places.unwrap_or_default())));
    };
    let mut free = None;
    for distance in 0..SHADOWS {
        let page = 1 + rule.wrapping_add(distance) % SHADOWS;
        match read(state, page)? {
            Some((page_rule, places)) if page_rule == rule => {
                return Ok(Some((page, rule, places)));
            }
            Some((_, places)) if !places.is_empty(state.now_ns) => {}
            _ => free = free.or(Some(page)),
        }
    }
    Ok(free.map(|page| (page, rule, WaitingSlots::default())))
}

/// Reads from one state file page the hash of the rule's name (0 for actual waits) and the waiting
/// requests; None if the page is damaged or was not written since the machine's last start.
fn read(state: LockedState<'_>, page: u64) -> Result<Option<(u64, WaitingSlots)>, Fault> {
    let mut bytes = [0; ROOM_BYTES];
    state.open_file.read(&mut bytes, Layout::room(page))?;
    Ok(from_bytes(&bytes, state.header.epoch).ok())
}

fn from_bytes(bytes: &[u8; ROOM_BYTES], epoch: u32) -> Result<(u64, WaitingSlots), CorruptData> {
    let mut from = Reader::checked(bytes)?;
    let (rule, mut places) = (from.u64()?, WaitingSlots::default());
    if from.u32()? != epoch {
        return Err(CorruptData);
    }
    for place in &mut places.0 {
        *place = WaitingSlot { until_ns: from.u64()?, user: from.u64()? };
    }
    Ok((rule, places))
}

fn to_bytes(rule: u64, epoch: u32, places: &WaitingSlots) -> Vec<u8> {
    let mut to = Writer(Vec::with_capacity(ROOM_BYTES));
    to.u64(rule).u32(epoch);
    for place in &places.0 {
        to.u64(place.until_ns).u64(place.user);
    }
    to.sealed(ROOM_BYTES)
}
