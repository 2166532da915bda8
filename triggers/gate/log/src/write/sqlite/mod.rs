//! Fills the empty tables of an SQLite database. Rows arrive in order and never change, so a
//! finished page needs no change. SQLite's own insertion, which supports more than that, takes
//! three times as long as reading the logs. The format is public and stable ("Database File
//! Format", sqlite.org/fileformat2.html).

mod record;
mod table;

pub use record::Record;
pub use table::Table;

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Result, Seek, SeekFrom, Write};

pub const PAGE_BYTES: usize = 16_384;
const BUFFER_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub struct Pages {
    file: BufWriter<File>,
    count: u32,
}

impl Pages {
    /// Fails if the file is no SQLite database, or has another page size than `PAGE_BYTES`.
    pub fn open(path: &str) -> Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let mut head = [0; 18];
        file.read_exact(&mut head)?;
        let [.., high, low] = head;
        let length = usize::try_from(file.seek(SeekFrom::End(0))?).unwrap_or(usize::MAX);
        let size = usize::from(u16::from_be_bytes([high, low]));
        if !head.starts_with(b"SQLite format 3\0") || size != PAGE_BYTES {
            return Err(std::io::Error::other("is not an empty database with pages of 16 KiB"));
        }
        let count = u32::try_from(length / PAGE_BYTES).map_err(std::io::Error::other)?;
        Ok(Pages { file: BufWriter::with_capacity(BUFFER_BYTES, file), count })
    }

    /// Returns the number of the page, counted from 1.
    pub fn add(&mut self, page: Vec<u8>) -> Result<u32> {
        self.file.write_all(&page)?;
        self.count = self.count.checked_add(1).ok_or(std::io::ErrorKind::FileTooLarge)?;
        Ok(self.count)
    }

    /// Returns the number of the first page of the chain.
    pub fn overflow(&mut self, bytes: &[u8]) -> Result<u32> {
        let first = self.count + 1;
        let mut chunks = bytes.chunks(PAGE_BYTES - 4).peekable();
        while let Some(chunk) = chunks.next() {
            let next = if chunks.peek().is_some() { self.count + 2 } else { 0 };
            let mut page = next.to_be_bytes().to_vec();
            page.extend_from_slice(chunk);
            page.resize(PAGE_BYTES, 0);
            self.add(page)?;
        }
        Ok(first)
    }

    /// `number` is counted from 1.
    pub fn put(&mut self, number: u32, page: Vec<u8>) -> Result<()> {
        let at = u64::from(number.saturating_sub(1)) * PAGE_BYTES as u64;
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(&page)?;
        self.file.seek(SeekFrom::End(0)).map(drop)
    }

    /// Writes the final number of pages into the header of the SQLite database file.
    pub fn finish(mut self) -> Result<()> {
        self.file.seek(SeekFrom::Start(28))?;
        self.file.write_all(&self.count.to_be_bytes())?;
        self.file.flush()
    }
}
