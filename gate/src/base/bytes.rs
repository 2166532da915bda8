//! Numbers and texts in files of our own: little endian, texts with their length before them.

use std::hash::Hasher;

/// The bytes differ from those written: cut short, or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt;

/// Takes values from the front of some bytes, and never panics on them.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the first byte on.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Whether all was read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Corrupt> {
        let (array, rest) = self.0.split_first_chunk().ok_or(Corrupt)?;
        self.0 = rest;
        Ok(*array)
    }

    /// Takes a number.
    pub fn u8(&mut self) -> Result<u8, Corrupt> {
        self.array().map(u8::from_le_bytes)
    }

    /// Takes a number.
    pub fn u16(&mut self) -> Result<u16, Corrupt> {
        self.array().map(u16::from_le_bytes)
    }

    /// Takes a number.
    pub fn u32(&mut self) -> Result<u32, Corrupt> {
        self.array().map(u32::from_le_bytes)
    }

    /// Takes a number.
    pub fn u64(&mut self) -> Result<u64, Corrupt> {
        self.array().map(u64::from_le_bytes)
    }

    /// Takes a number.
    pub fn u128(&mut self) -> Result<u128, Corrupt> {
        self.array().map(u128::from_le_bytes)
    }

    /// Takes bytes that were written with `Writer::bytes`.
    pub fn bytes(&mut self) -> Result<&'a [u8], Corrupt> {
        let length = usize::try_from(self.u32()?).map_err(|_| Corrupt)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Corrupt)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Takes a text.
    pub fn text(&mut self) -> Result<&'a str, Corrupt> {
        str::from_utf8(self.bytes()?).map_err(|_| Corrupt)
    }

    /// Takes bytes that may be absent.
    pub fn optional_bytes(&mut self) -> Result<Option<&'a [u8]>, Corrupt> {
        if self.u8()? == 0 { Ok(None) } else { self.bytes().map(Some) }
    }

    /// Takes a text that may be absent.
    pub fn optional_text(&mut self) -> Result<Option<&'a str>, Corrupt> {
        let bytes = self.optional_bytes()?;
        bytes.map(str::from_utf8).transpose().map_err(|_| Corrupt)
    }
}

/// Puts values behind each other.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Puts a number of any size, as its own little endian bytes.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Puts a number.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Puts a number.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Puts a number.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Puts a number.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Puts bytes and, before them, their length.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        // A text of over 4 GiB does not occur: every text comes from a file of bounded size.
        self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX)).raw(value)
    }

    /// Puts a text.
    pub fn text(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    /// Puts a text that may be absent.
    pub fn optional_text(&mut self, value: Option<&str>) -> &mut Self {
        match value {
            None => self.u8(0),
            Some(text) => self.u8(1).text(text),
        }
    }
}

/// A checksum against accidents; it keeps no one out.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    siphasher::sip::SipHasher13::new().hash(bytes)
}

/// Hashes a text and its length, so that no two lists of texts are alike.
pub fn put_text(hasher: &mut impl Hasher, text: &[u8]) {
    hasher.write_u64(text.len() as u64);
    hasher.write(text);
}
