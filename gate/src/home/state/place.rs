//! One place of the table: whose it is, and until when it is taken.

use super::header::Header;
use super::layout::Place;
use siphasher::sip::SipHasher13;

/// A place that a key takes until a time.
pub(super) fn taken(own: u128, until_ns: u64, header: &Header) -> Place {
    let time = u128::from(header.epoch) << 64 | u128::from(until_ns);
    let check = check(own, time, header);
    [own, u128::from(check) << 96 | time].map(u128::to_le_bytes)
}

/// Whether it is the key's, or was when it was written last.
pub(super) fn is_of(place: &Place, own: u128) -> bool {
    matches!(place, [key, _] if *key == own.to_le_bytes())
}

/// Until when it is taken; 0 if it is not, whatever it holds.
pub(super) fn until_ns(place: &Place, header: &Header) -> u64 {
    let [own, rest] = place.map(u128::from_le_bytes);
    let time = rest & (u128::MAX >> 32);
    let sound =
        (time >> 64) as u32 == header.epoch && (rest >> 96) as u32 == check(own, time, header);
    if sound { time as u64 } else { 0 }
}

/// Depends on the secret, so that noise is never taken for a rate.
fn check(own: u128, time: u128, header: &Header) -> u32 {
    let content = [own, time].map(u128::to_le_bytes);
    SipHasher13::new_with_key(&header.secret).hash(content.as_flattened()) as u32
}
