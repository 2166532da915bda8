//! Encoding of numbers and texts as bytes in checkpoint indexes and temporary files.

/// In variable length: seven bits per byte, lowest bits first.
pub fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// The frequent case, in which every number takes one byte, is fast.
pub fn put_numbers<const COUNT: usize>(to: &mut Vec<u8>, numbers: [u64; COUNT]) {
    if numbers.iter().all(|number| *number < 0x80) {
        to.extend_from_slice(&numbers.map(|number| number as u8));
    } else {
        numbers.iter().for_each(|number| put_number(to, *number));
    }
}

/// None if the number is incomplete or too long.
pub fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

pub fn take<'b>(from: &mut &'b [u8], bytes: u64) -> Option<&'b [u8]> {
    let (front, rest) = from.split_at_checked(usize::try_from(bytes).ok()?)?;
    *from = rest;
    Some(front)
}

/// For short texts, the most frequent case, a call of musl's `memcpy` takes longer than the copy
/// itself.
#[inline]
pub fn append(to: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        append_some(to, bytes);
    }
}

fn append_some(to: &mut Vec<u8>, bytes: &[u8]) {
    let (eights, mut rest) = bytes.as_chunks::<8>();
    to.reserve(bytes.len());
    eights.iter().for_each(|eight| to.extend_from_slice(eight));
    if let Some((four, behind)) = rest.split_first_chunk::<4>() {
        to.extend_from_slice(four);
        rest = behind;
    }
    match rest {
        [one] => to.push(*one),
        [one, two] => to.extend_from_slice(&[*one, *two]),
        [one, two, three] => to.extend_from_slice(&[*one, *two, *three]),
        _ => {}
    }
}

/// Preceded by its length in bytes.
pub fn put_text(to: &mut Vec<u8>, text: &[u8]) {
    put_number(to, text.len() as u64);
    append(to, text);
}

pub fn take_text<'b>(from: &mut &'b [u8]) -> Option<&'b [u8]> {
    let bytes = take_number(from)?;
    take(from, bytes)
}

pub const ORDERED_BYTES: usize = 7;

/// The encodings sort like the numbers. No byte is a letter, so conversion to lower case leaves the
/// encoding unchanged.
pub fn ordered(number: u32) -> [u8; ORDERED_BYTES] {
    std::array::from_fn(|place| 0x20 + (number >> (30 - 5 * place) & 0x1F) as u8)
}

pub fn from_ordered(digits: &[u8; ORDERED_BYTES]) -> u32 {
    digits.iter().fold(0, |number, digit| number << 5 | u32::from(digit & 0x1F))
}

/// At the end of a sort key.
pub fn last_ordered(key: &[u8]) -> Option<u32> {
    key.last_chunk().map(from_ordered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn encoded_numbers_and_texts_are_decoded_unchanged(number: u64, text: Vec<u8>) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            put_text(&mut bytes, &text);
            prop_assert!(bytes.ends_with(&text));
            let mut rest = &bytes[..];
            prop_assert_eq!(take_number(&mut rest), Some(number));
            prop_assert_eq!(take_text(&mut rest), Some(&text[..]));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn keys_with_ordered_numbers_sort_by_number(one: u32, other: u32) {
            let key = |number| [b"x\0", &ordered(number)[..]].concat();
            prop_assert_eq!(key(one).cmp(&key(other)), one.cmp(&other));
            prop_assert_eq!(key(one).to_ascii_lowercase(), key(one));
            prop_assert_eq!(last_ordered(&key(one)), Some(one));
        }

        #[test]
        fn reading_texts_from_arbitrary_bytes_ends_without_a_panic(bytes: Vec<u8>) {
            let mut rest = &bytes[..];
            while take_text(&mut rest).is_some() {}
        }
    }
}
