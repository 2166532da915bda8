//! Encoding of a slot of the state file's rate table: the key that occupies the slot, the time
//! until which it does, the epoch and a check value.

use super::header::Header;
use super::layout::RateSlot;
use siphasher::sip::SipHasher13;

/// Creates a slot of the rate table that a key occupies until a time, in nanoseconds since the
/// machine started.
pub(super) fn new_slot(own: u128, until_ns: u64, header: &Header) -> RateSlot {
    let time = u128::from(header.epoch) << 64 | u128::from(until_ns);
    let check = check(own, time, header);
    [own, u128::from(check) << 96 | time].map(u128::to_le_bytes)
}

/// Whether a slot of the rate table belongs to a key, even if its time has passed.
pub(super) fn is_of(slot: &RateSlot, own: u128) -> bool {
    matches!(slot, [key, _] if *key == own.to_le_bytes())
}

/// Time until which a slot of the rate table is occupied, in nanoseconds since the machine started;
/// 0 if the slot is empty or invalid, or was written before the machine's last start.
pub(super) fn until_ns(slot: &RateSlot, header: &Header) -> u64 {
    let [own, rest] = slot.map(u128::from_le_bytes);
    let time = rest & (u128::MAX >> 32);
    let sound =
        (time >> 64) as u32 == header.epoch && (rest >> 96) as u32 == check(own, time, header);
    if sound { time as u64 } else { 0 }
}

/// Check value of a slot of the rate table, computed with the state file's secret; damaged bytes
/// are recognized by it.
fn check(own: u128, time: u128, header: &Header) -> u32 {
    let content = [own, time].map(u128::to_le_bytes);
    SipHasher13::new_with_key(&header.secret).hash(content.as_flattened()) as u32
}
