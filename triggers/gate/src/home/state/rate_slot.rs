//! Encoding of a slot of the state file's rate table: the key that occupies the slot, the time
//! until which it does, the epoch and a check value.

use super::header::Header;
use super::layout::RateSlot;
use crate::base::bytes::checksum;
use siphasher::sip::SipHasher13;

/// The bits of the epoch and the time.
const TIME: u128 = u128::MAX >> 32;

/// That a key occupies until a time, in nanoseconds since the machine started.
pub(super) fn new_slot(own: u128, until_ns: u64, header: &Header) -> RateSlot {
    let time = u128::from(header.epoch) << 64 | u128::from(until_ns);
    let check = check(own, time, header);
    [own, u128::from(check) << 96 | time].map(u128::to_le_bytes)
}

/// Writes into the first slot of a part of the rate table, beside its time, the sum of the others.
pub(super) fn seal(slots: &mut [RateSlot], header: &Header) {
    let Some((first, others)) = slots.split_first_mut() else { return };
    *first = new_slot(sum(others).into(), until_ns(first, header), header);
}

/// Whether the first of these slots is a seal of the others.
pub(super) fn is_seal(slots: &[RateSlot], header: &Header) -> bool {
    let Some((first, others)) = slots.split_first() else { return false };
    is_sound(first, header) && is_of(first, sum(others).into())
}

fn sum(slots: &[RateSlot]) -> u64 {
    checksum(slots.as_flattened().as_flattened())
}

/// Even if its time has passed.
pub(super) fn is_of(slot: &RateSlot, own: u128) -> bool {
    matches!(slot, [key, _] if *key == own.to_le_bytes())
}

/// In nanoseconds since the machine started; 0 if the slot is empty or damaged, or was written before
/// the machine's last start.
pub(super) fn until_ns(slot: &RateSlot, header: &Header) -> u64 {
    let [_, rest] = slot.map(u128::from_le_bytes);
    let time = rest & TIME;
    let is_of_epoch = (time >> 64) as u32 == header.epoch;
    if is_of_epoch && is_sound(slot, header) { time as u64 } else { 0 }
}

fn is_sound(slot: &RateSlot, header: &Header) -> bool {
    let [own, rest] = slot.map(u128::from_le_bytes);
    (rest >> 96) as u32 == check(own, rest & TIME, header)
}

fn check(own: u128, time: u128, header: &Header) -> u32 {
    let content = [own, time].map(u128::to_le_bytes);
    SipHasher13::new_with_key(&header.secret).hash(content.as_flattened()) as u32
}
