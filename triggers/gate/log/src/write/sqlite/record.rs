//! Encoding of one row in SQLite's record format ("Database File Format", 2.1).

use p4warden_gate::base::text::decoded;

#[derive(Debug, Default)]
pub struct Record {
    types: Vec<u8>,
    body: Vec<u8>,
}

impl Record {
    pub fn clear(&mut self) -> &mut Self {
        self.types.clear();
        self.body.clear();
        self
    }

    /// Also for the primary key column: SQLite takes its value from the row number.
    pub fn null(&mut self) -> &mut Self {
        self.types.push(0);
        self
    }

    pub fn integer(&mut self, number: Option<i64>) -> &mut Self {
        let Some(number) = number else {
            return self.null();
        };
        let (kind, bytes) = match number {
            0 => (8, 0),
            1 => (9, 0),
            -0x80..=0x7F => (1, 1),
            -0x8000..=0x7FFF => (2, 2),
            -0x80_0000..=0x7F_FFFF => (3, 3),
            -0x8000_0000..=0x7FFF_FFFF => (4, 4),
            -0x8000_0000_0000..=0x7FFF_FFFF_FFFF => (5, 6),
            _ => (6, 8),
        };
        self.types.push(kind);
        let bytes_of_number = number.to_be_bytes();
        self.body.extend_from_slice(bytes_of_number.get(8 - bytes..).unwrap_or_default());
        self
    }

    pub fn integers<const N: usize>(&mut self, numbers: Option<[i64; N]>) -> &mut Self {
        match numbers {
            None => self.types.resize(self.types.len() + N, 0),
            Some(numbers) => numbers.into_iter().for_each(|number| {
                self.integer(Some(number));
            }),
        }
        self
    }

    pub fn flag(&mut self, is_so: bool) -> &mut Self {
        self.integer(Some(i64::from(is_so)))
    }

    /// Converts nanoseconds to seconds.
    pub fn seconds(&mut self, ns: Option<u64>) -> &mut Self {
        let Some(ns) = ns else {
            return self.null();
        };
        self.types.push(7);
        // A floating-point number holds 53 bits exactly, fewer than nanoseconds since the Unix
        // epoch need, so from `1 << 53` on whole seconds are split off first.
        let whole_s = if ns >> 53 > 0 { ns / 1_000_000_000 } else { 0 };
        let seconds = whole_s as f64 + (ns - whole_s * 1_000_000_000) as f64 / 1e9;
        self.body.extend_from_slice(&seconds.to_be_bytes());
        self
    }

    /// Bytes that are not UTF-8 are shown as `\x..`.
    pub fn text(&mut self, text: &[u8]) -> &mut Self {
        let text = decoded(text);
        varint(&mut self.types, 13 + 2 * text.len() as u64);
        self.body.extend_from_slice(text.as_bytes());
        self
    }

    /// The length of the row's header, the column types, the values.
    pub fn write(&self, to: &mut Vec<u8>) {
        let length = self.types.len() as u64;
        // The length includes its own bytes; two suffice for the types of a hundred columns.
        let own = if length + 1 < 0x80 { 1 } else { 2 };
        varint(to, length + own);
        to.extend_from_slice(&self.types);
        to.extend_from_slice(&self.body);
    }
}

/// SQLite's variable-length integer: 7 bits per byte, highest first, all 8 of a ninth byte.
pub fn varint(to: &mut Vec<u8>, number: u64) {
    if number >> 56 > 0 {
        (0..8).for_each(|at| to.push((number >> (57 - 7 * at)) as u8 | 0x80));
        return to.push(number as u8);
    }
    let more = (1..8).rev().filter(|place| number >> (7 * place) > 0);
    more.for_each(|place| to.push((number >> (7 * place)) as u8 | 0x80));
    to.push(number as u8 & 0x7F);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> u64 {
        let ninth = bytes.get(8).copied();
        let eight = bytes.iter().take(8).fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7F));
        ninth.map_or(eight, |ninth| eight << 8 | u64::from(ninth))
    }

    proptest! {
        #[test]
        fn varints_of_any_length_are_read_unchanged(number: u64, shift in 0_u32..64) {
            let mut bytes = Vec::new();
            varint(&mut bytes, number >> shift);
            prop_assert_eq!(read(&bytes), number >> shift);
            let last = bytes.len() - 1;
            let goes_on = bytes.iter().take(last).all(|byte| byte & 0x80 > 0);
            prop_assert!(goes_on && (last == 8 || bytes[last] & 0x80 == 0));
        }
    }
}
