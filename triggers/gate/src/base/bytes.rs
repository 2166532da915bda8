//! Reader and writer of the values in p4warden's own binary files, such as little-endian numbers,
//! and texts with their lengths; checksum of bytes.

use std::hash::Hasher;

/// Error of reading a binary file of p4warden: the file is cut short, or its bytes are not those
/// that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorruptData;

/// Cursor that reads values, such as numbers and texts, one after another from the bytes of a
/// binary file; data that ends too early is the error `CorruptData`, never a panic.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Creates a reader of a binary file's content `bytes` in memory, positioned at its first byte.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Whether the reader of a binary file has consumed all bytes.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the next `N` bytes of a binary file as an array; fails if fewer bytes are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], CorruptData> {
        let (array, rest) = self.0.split_first_chunk().ok_or(CorruptData)?;
        self.0 = rest;
        Ok(*array)
    }

    /// Reads a one-byte number of a binary file; fails at the end of the bytes.
    pub fn u8(&mut self) -> Result<u8, CorruptData> {
        self.array().map(u8::from_le_bytes)
    }

    /// Reads a two-byte little-endian number of a binary file; fails if fewer bytes are left.
    pub fn u16(&mut self) -> Result<u16, CorruptData> {
        self.array().map(u16::from_le_bytes)
    }

    /// Reads a four-byte little-endian number of a binary file; fails if fewer bytes are left.
    pub fn u32(&mut self) -> Result<u32, CorruptData> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads an eight-byte little-endian number of a binary file; fails if fewer bytes are left.
    pub fn u64(&mut self) -> Result<u64, CorruptData> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a 128-bit little-endian number (16 bytes) of a binary file; fails if fewer bytes are
    /// left.
    pub fn u128(&mut self) -> Result<u128, CorruptData> {
        self.array().map(u128::from_le_bytes)
    }

    /// Reads a byte string of a binary file that `Writer::bytes` wrote: a four-byte length, then
    /// the bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], CorruptData> {
        let length = usize::try_from(self.u32()?).map_err(|_| CorruptData)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(CorruptData)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads a text of a binary file: a four-byte length, then the text; `CorruptData` if it is not
    /// UTF-8.
    pub fn text(&mut self) -> Result<&'a str, CorruptData> {
        str::from_utf8(self.bytes()?).map_err(|_| CorruptData)
    }

    /// Reads an optional byte string of a binary file: a flag byte and, unless it is 0, the byte
    /// string with its length before it.
    pub fn optional_bytes(&mut self) -> Result<Option<&'a [u8]>, CorruptData> {
        if self.u8()? == 0 { Ok(None) } else { self.bytes().map(Some) }
    }

    /// Reads an optional text of a binary file: a flag byte and, unless it is 0, the text with its
    /// length before it.
    pub fn optional_text(&mut self) -> Result<Option<&'a str>, CorruptData> {
        let bytes = self.optional_bytes()?;
        bytes.map(str::from_utf8).transpose().map_err(|_| CorruptData)
    }
}

/// Writer of p4warden's binary files: appends values to a byte buffer in the format that `Reader`
/// reads.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends bytes to a binary file's bytes as they are, without a length before them.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends a one-byte number to a binary file's bytes.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends a two-byte little-endian number to a binary file's bytes.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends a four-byte little-endian number to a binary file's bytes.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends an eight-byte little-endian number to a binary file's bytes.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// Appends a byte string to a binary file's bytes, with its length in four bytes before it.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        // Every text that a binary file stores comes from a file of bounded size, so none exceeds 4
        // GiB.
        self.u32(u32::try_from(value.len()).unwrap_or(u32::MAX)).raw(value)
    }

    /// Appends a text to a binary file's bytes, with its length in four bytes before it.
    pub fn text(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    /// Appends an optional text to a binary file's bytes: a flag byte (1 present, 0 absent) and, if
    /// it is present, the text with its length before it.
    pub fn optional_text(&mut self, value: Option<&str>) -> &mut Self {
        match value {
            None => self.u8(0),
            Some(text) => self.u8(1).text(text),
        }
    }
}

/// A 64-bit checksum of bytes. It detects accidental damage of a file, and does not protect against
/// forgery.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    siphasher::sip::SipHasher13::new().hash(bytes)
}

/// Feeds a text with its length into a hasher, so that the texts `["ab", "c"]` and `["a", "bc"]`
/// give different hashes.
pub fn put_text(hasher: &mut impl Hasher, text: &[u8]) {
    hasher.write_u64(text.len() as u64);
    hasher.write(text);
}
