//! Reader and writer of the values in p4warden's own binary files.

use std::hash::Hasher;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorruptData;

/// Numbers are little-endian; data that ends too early is `CorruptData`, never a panic.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Of bytes whose last eight are the checksum of the others.
    pub fn checked(bytes: &'a [u8]) -> Result<Self, CorruptData> {
        let (content, check) = bytes.split_last_chunk().ok_or(CorruptData)?;
        let is_sound = checksum(content) == u64::from_le_bytes(*check);
        is_sound.then_some(Reader(content)).ok_or(CorruptData)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], CorruptData> {
        let (array, rest) = self.0.split_first_chunk().ok_or(CorruptData)?;
        self.0 = rest;
        Ok(*array)
    }

    pub fn u8(&mut self) -> Result<u8, CorruptData> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, CorruptData> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, CorruptData> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn u128(&mut self) -> Result<u128, CorruptData> {
        self.array().map(u128::from_le_bytes)
    }

    /// A four-byte length, then the bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], CorruptData> {
        let length = usize::try_from(self.u32()?).map_err(|_| CorruptData)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(CorruptData)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<&'a str, CorruptData> {
        str::from_utf8(self.bytes()?).map_err(|_| CorruptData)
    }
}

#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        // Every text that a binary file stores comes from a file of bounded size, so none exceeds 4
        // GiB.
        self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX)).raw(value)
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    /// Zeros up to a length, of which the last eight bytes are the checksum of the others.
    pub fn sealed(mut self, bytes: usize) -> Vec<u8> {
        self.0.resize(bytes - 8, 0);
        let check = checksum(&self.0);
        self.u64(check);
        self.0
    }
}

/// Detects accidental damage of a file; no protection against forgery.
pub fn checksum(bytes: &[u8]) -> u64 {
    siphasher::sip::SipHasher13::new().hash(bytes)
}

/// Feeds a text with its length into a hasher, so that the texts `["ab", "c"]` and `["a", "bc"]`
/// give different hashes.
pub fn put_text(hasher: &mut impl Hasher, text: &[u8]) {
    hasher.write_u64(text.len() as u64);
    hasher.write(text);
}
