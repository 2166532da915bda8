//! These checksums detect accidental damage but do not protect against forgery. The code avoids
//! processor-specific instructions: on a virtual machine every query of the processor's features
//! traps, which takes a short-lived process longer than computing the checksums.

use crc::{CRC_32_ISO_HDLC, Crc, Table};
use siphasher::sip::SipHasher13;

static CRC_32: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);

/// The lower 32 bits of SipHash 1-3.
pub fn checksum(text: &[u8]) -> u32 {
    SipHasher13::new().hash(text) as u32
}

/// Equal to Python's `zlib.crc32`.
pub fn crc_32(text: &[u8]) -> u32 {
    CRC_32.checksum(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_32_gives_the_published_check_value() {
        // From the catalogue of parametrised CRC algorithms.
        assert_eq!(crc_32(b"123456789"), 0xCBF4_3926);
        assert_ne!(checksum(b"a"), checksum(b"b"));
    }
}
