//! The delayed requests in the state file: one page for requests that actually wait, and one page
//! for each of up to 32 rules that only observe but would delay requests.
//!
//! The pages are read and written only by decisions that delay, or would delay, a request.

use super::header::LockedState;
use super::layout::{Layout, SHADOWS};
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::base::fault::Fault;
use crate::rate::waiting_slots::{MOST, SlotPool, SlotShortage, WaitingSlot, WaitingSlots};

const POOL_BYTES: usize = 8 + 4 + MOST * 16 + 8;

/// None also for a rule in observe mode that has no page (see `SHADOWS`).
pub(super) fn wait(
    state: LockedState<'_>,
    pool: SlotPool,
    slot: WaitingSlot,
) -> Result<Option<SlotShortage>, Fault> {
    let Some((page, rule, mut slots)) = find(state, pool)? else {
        return Ok(None);
    };
    let full = slots.take(slot, state.now_ns);
    if full.is_none() {
        let content = to_bytes(rule, state.header.epoch, &slots);
        state.open_file.write(&content, Layout::pool(page))?;
    }
    Ok(full)
}

/// The number of the page, the hash of the rule's name (0 for actual waits) and the requests; None if
/// other rules occupy all pages.
fn find(state: LockedState<'_>, pool: SlotPool) -> Result<Option<(u64, u64, WaitingSlots)>, Fault> {
    let SlotPool::Shadow(rule) = pool else {
        let slots = read(state, 0)?.map(|(_, slots)| slots);
        return Ok(Some((0, 0, slots.unwrap_or_default())));
    };
    let mut free = None;
    for distance in 0..SHADOWS {
        let page = 1 + rule.wrapping_add(distance) % SHADOWS;
        match read(state, page)? {
            Some((page_rule, slots)) if page_rule == rule => {
                return Ok(Some((page, rule, slots)));
            }
            Some((_, slots)) if !slots.is_empty(state.now_ns) => {}
            _ => free = free.or(Some(page)),
        }
    }
    Ok(free.map(|page| (page, rule, WaitingSlots::default())))
}

/// As `find`; None if the page was not written since the machine's last start.
fn read(state: LockedState<'_>, page: u64) -> Result<Option<(u64, WaitingSlots)>, Fault> {
    let mut bytes = [0; POOL_BYTES];
    state.open_file.read(&mut bytes, Layout::pool(page))?;
    let Some(from) = state.checked(&bytes)? else { return Ok(None) };
    from_bytes(from, state.header.epoch).map_err(|CorruptData| state.damage())
}

fn from_bytes(
    mut from: Reader<'_>,
    epoch: u32,
) -> Result<Option<(u64, WaitingSlots)>, CorruptData> {
    let (rule, mut slots) = (from.u64()?, WaitingSlots::default());
    if from.u32()? != epoch {
        return Ok(None);
    }
    for slot in &mut slots.0 {
        *slot = WaitingSlot { until_ns: from.u64()?, user: from.u64()? };
    }
    Ok(Some((rule, slots)))
}

fn to_bytes(rule: u64, epoch: u32, slots: &WaitingSlots) -> Vec<u8> {
    let mut to = Writer(Vec::with_capacity(POOL_BYTES));
    to.u64(rule).u32(epoch);
    for slot in &slots.0 {
        to.u64(slot.until_ns).u64(slot.user);
    }
    to.sealed(POOL_BYTES)
}
